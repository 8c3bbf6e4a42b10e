// Guarantees of exposure: beyond loopback no start without TLS or with a weak key, unless a setting accepts it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedRisks } from './exposure.ts';
import { exitMessageFor } from './start-problems.ts';

const STRONG = '8f14e45fceea167a5a36dedd4bea2543c1a9';
const SAFE = {
  ...{ bind: '0.0.0.0', tlsCert: '/cert.pem', publicUrl: null },
  ...{ apiKey: STRONG, adminClientSecret: null, metricsKey: null, nodeSecret: null, insecure: false },
};

function refusal(settings: Partial<Parameters<typeof acceptedRisks>[0]>): string {
  try {
    acceptedRisks({ ...SAFE, ...settings });
  } catch (error) {
    const { text, exitCode } = exitMessageFor(error);
    assert.equal(exitCode, 2);
    return text;
  }
  return assert.fail('it was accepted');
}

test('refuses to serve other machines without TLS or with a weak key, and names the ways out', () => {
  assert.match(refusal({ tlsCert: null }), /without TLS.*PINYON_TLS_CERT.*PINYON_INSECURE=true/s);
  const weak = refusal({ apiKey: 'secret-key' });
  assert.match(weak, /PINYON_API_KEY is weak/);
  assert.ok(!weak.includes('secret-key'));
});

test('refuses each weak secret of the settings, and names all of them', () => {
  const weak = {
    ...{ apiKey: 'a-weak-api-key', adminClientSecret: 'a-weak-admin-secret' },
    ...{ metricsKey: 'a-weak-metrics-key', nodeSecret: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' },
  };
  const names = ['PINYON_API_KEY', 'PINYON_ADMIN_CLIENT_SECRET', 'PINYON_METRICS_KEY', 'PINYON_NODE_SECRET'];
  const told = refusal(weak);
  for (const name of names) assert.match(told, new RegExp(`${name} is weak`));
  for (const secret of Object.values(weak)) assert.ok(!told.includes(secret));
  const strong = { adminClientSecret: STRONG, metricsKey: STRONG, nodeSecret: STRONG };
  assert.deepEqual(acceptedRisks({ ...SAFE, ...strong }), []);
});

test('warns of each risk where the setting accepts it', () => {
  assert.equal(acceptedRisks({ ...SAFE, tlsCert: null, apiKey: 'secret-key', insecure: true }).length, 2);
});

test('has nothing to say on a loopback address, nor with TLS and a strong key or none', () => {
  for (const bind of ['127.0.0.1', 'localhost', '::1']) {
    assert.deepEqual(acceptedRisks({ ...SAFE, bind, tlsCert: null, apiKey: 'weak-key' }), []);
  }
  assert.deepEqual(acceptedRisks(SAFE), []);
  assert.deepEqual(acceptedRisks({ ...SAFE, apiKey: null }), []);
});

test('starts without TLS behind a proxy that ends it, with a warning, but never with a weak key', () => {
  const behindProxy = { tlsCert: null, publicUrl: 'https://vectors.example.org' };
  assert.equal(acceptedRisks({ ...SAFE, ...behindProxy }).length, 1);
  assert.throws(() => acceptedRisks({ ...SAFE, ...behindProxy, apiKey: 'secret-key' }), /is weak/);
  assert.throws(() => acceptedRisks({ ...SAFE, tlsCert: null, publicUrl: 'http://vectors.example.org' }));
});
