// Guarantees of the settings: typed values, and a clear message about every wrong one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Index } from '../domain/index-model.ts';
import { baseUrl } from './banner.ts';
import { indexHostsFor } from './index-hosts.ts';
import { readSettings, SettingsProblem, unknownSettings } from './read-settings.ts';
import { threadsPreset } from './settings/setting.ts';
import { SETTINGS } from './settings.ts';
import { settingsPage, settingsText } from './settings-pages.ts';

const PROJECT_ID = '0b5e4f6a-3f0c-4c8e-9d54-1f6d4f1f2a3b';

function problemsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsProblem) return error.problems;
    throw error;
  }
  return [];
}

test('gives every setting its documented default without any variable', () => {
  const settings = readSettings({});
  assert.equal(settings.dataDir, './pinyon-data');
  assert.equal(settings.port, 5080);
  assert.deepEqual(settings.indexPorts, { first: 5081, last: 5999 });
  assert.equal(settings.bind, '127.0.0.1');
  assert.equal(settings.publicHost, 'localhost');
  assert.equal(settings.apiKey, null);
  assert.equal(settings.regions, null);
  assert.ok(settings.searchThreads >= 1);
  assert.ok(Object.isFrozen(settings));
});

test('takes the defaults of threads on machines of any number of cores', () => {
  const presets = (cores: number) => [threadsPreset(1, cores), threadsPreset(0.5, cores)];
  assert.deepEqual([1, 3, 256, 384, 1_024].map(presets), [
    ['1', '1'],
    ['3', '1'],
    ['256', '128'],
    ['256', '192'],
    ['256', '256'],
  ]);
  for (const { read } of [SETTINGS.searchThreads, SETTINGS.writeThreads, SETTINGS.parsers])
    for (const preset of presets(1_024)) assert.equal(read(preset), Number(preset));
});

test('treats an empty or blank variable as unset', () => {
  assert.equal(readSettings({ PINYON_PORT: '', PINYON_API_KEY: '  ' }).port, 5080);
});

test('reads values as their types', () => {
  const settings = readSettings({
    PINYON_PORT: '0',
    PINYON_INDEX_PORTS: '7000-7000',
    PINYON_HOST_WITHOUT_SCHEME: 'TRUE',
    PINYON_REGIONS: 'gcp:europe-west4, azure:eastus2',
    PINYON_PUBLIC_DOMAIN: 'Vectors.Example.org',
    PINYON_PUBLIC_PORT: '443',
    PINYON_LOG_LEVEL: 'silent',
    PINYON_DRAIN_SECONDS: '0',
  });
  assert.equal(settings.port, 0);
  assert.deepEqual(settings.indexPorts, { first: 7000, last: 7000 });
  assert.equal(settings.hostWithoutScheme, true);
  assert.deepEqual(settings.regions, [
    { cloud: 'gcp', region: 'europe-west4' },
    { cloud: 'azure', region: 'eastus2' },
  ]);
  assert.equal(settings.publicDomain, 'vectors.example.org');
  assert.equal(settings.drainSeconds, 0);
});

test('reads chat models as a map of names, which requires an address', () => {
  const url = { PINYON_CHAT_URL: 'http://localhost:11434/v1' };
  const models = '{"gpt-4o": "small", "*": "large"}';
  const settings = readSettings({ ...url, PINYON_CHAT_MODELS: models });
  assert.equal(settings.chatUrl, url.PINYON_CHAT_URL);
  assert.deepEqual(settings.chatModels, { 'gpt-4o': 'small', '*': 'large' });
  for (const wrong of ['{', '[]', '"x"', '{"gpt-4o": 1}', '{"gpt-4o": ""}']) {
    assert.match(String(problemsOf({ ...url, PINYON_CHAT_MODELS: wrong })), /PINYON_CHAT_MODELS/, wrong);
  }
  assert.match(String(problemsOf({ PINYON_CHAT_KEY: 'sk-1' })), /require PINYON_CHAT_URL/);
});

test('names every wrong variable at once, each with its rule', () => {
  const problems = problemsOf({
    PINYON_PORT: '65536',
    PINYON_INDEX_PORTS: '6000-5000',
    PINYON_REQUIRE_VERSION_HEADER: 'perhaps',
    PINYON_LOG_LEVEL: 'loud',
    PINYON_REGIONS: 'moon:base',
    PINYON_DRAIN_SECONDS: '1.5',
    PINYON_PUBLIC_HOST: 'http://example.org',
  });
  assert.equal(problems.length, 7);
  assert.ok(problems.includes('PINYON_PORT must be a whole number from 0 to 65535.'));
  assert.ok(problems.includes('PINYON_REQUIRE_VERSION_HEADER must be true or false.'));
  assert.ok(problems.some((problem) => problem.startsWith('PINYON_INDEX_PORTS must be two ports')));
});

test('refuses a wrong key without repeating it', () => {
  for (const key of ['short', 'with a space in it', 'ümlaut-key-123']) {
    const [problem = ''] = problemsOf({ PINYON_API_KEY: key });
    assert.match(problem, /^PINYON_API_KEY must be /);
    assert.ok(!problem.includes(key));
  }
});

test('refuses settings that contradict each other', () => {
  assert.match(String(problemsOf({ PINYON_TLS_CERT: 'a.pem' })), /must be set together/);
  assert.match(String(problemsOf({ PINYON_PORT: '5100' })), /PINYON_PORT 5100 must be outside/);
  assert.match(
    String(problemsOf({ PINYON_PORT: '0', PINYON_PUBLIC_DOMAIN: 'example.org' })),
    /requires PINYON_PUBLIC_PORT/,
  );
  assert.deepEqual(problemsOf({ PINYON_PORT: '5100', PINYON_PUBLIC_DOMAIN: 'example.org' }), []);
});

test('reports a misspelled variable', () => {
  const environment = { PINYON_PROT: '1', PINYON_PORT: '1', PINYON_URL: 'http://localhost:5080', HOME: '/' };
  assert.deepEqual(unknownSettings(environment), [{ name: 'PINYON_PROT', nearest: 'PINYON_PORT' }]);
});

test('lists every setting in the help text and on the reference page', () => {
  for (const { env } of Object.values(SETTINGS)) {
    assert.ok(settingsText().includes(env), env);
    assert.ok(settingsPage().includes(`\`${env}\``), env);
  }
});

test('names the setting that a misspelled variable most likely means, and none for a strange one', () => {
  const nearestOf = (name: string) => unknownSettings({ [name]: 'x' })[0]?.nearest;
  assert.equal(nearestOf('PINYON_LOGLEVEL'), 'PINYON_LOG_LEVEL');
  assert.equal(nearestOf('PINYON_DATADIR'), 'PINYON_DATA_DIR');
  assert.equal(nearestOf('PINYON_TRUST_PROXY'), 'PINYON_TRUSTED_PROXIES');
  assert.equal(nearestOf('PINYON_GREETING'), null);
});

test('derives the addresses of indexes from the public address alone', () => {
  const settings = readSettings({ PINYON_PUBLIC_URL: 'https://Vectors.Example.org/' });
  const host = indexHostsFor(settings)({ name: 'books', projectId: PROJECT_ID } as Index);
  assert.match(host, /^https:\/\/books-[a-z0-9]+\.vectors\.example\.org$/);
  assert.equal(baseUrl(settings, 5080), 'https://vectors.example.org');
  const onPort = readSettings({ PINYON_PUBLIC_URL: 'http://vectors.test:8080' });
  assert.match(indexHostsFor(onPort)({ name: 'a', projectId: PROJECT_ID } as Index), /\.vectors\.test:8080$/);
});

test('refuses a public address with a path, and one beside the settings that it replaces', () => {
  assert.match(String(problemsOf({ PINYON_PUBLIC_URL: 'https://example.org/vectors' })), /without a path/);
  const both = { PINYON_PUBLIC_URL: 'https://example.org', PINYON_PUBLIC_HOST: 'example.org' };
  assert.match(String(problemsOf(both)), /PINYON_PUBLIC_URL replaces PINYON_PUBLIC_HOST/);
});

test('reads trusted proxies as addresses and ranges', () => {
  const proxies = 'PINYON_TRUSTED_PROXIES';
  const read = (value: string) => readSettings({ [proxies]: value }).trustedProxies;
  assert.deepEqual(read('127.0.0.1, 10.0.0.0/8,fd00::/8'), ['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);
  for (const wrong of ['example.org', '10.0.0.0/33', '10.0.0.0/', '1.2.3.4/8/8', 'true']) {
    assert.match(String(problemsOf({ [proxies]: wrong })), /PINYON_TRUSTED_PROXIES must be/, wrong);
  }
});
