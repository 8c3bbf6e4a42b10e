// Whether the objects of a rendered chart fit together, and have no key that Kubernetes would refuse or drop.
import assert from 'node:assert/strict';
import { SETTINGS } from '../../src/boot/settings.ts';
import type { Container, Manifest, PodTemplate } from './manifest.ts';

/** First starts of a release may bring large tables up to date. */
const STARTUP_SECONDS_MIN = 86_400;
const VERSIONS: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  Service: 'v1',
  Ingress: 'networking.k8s.io/v1',
  PodDisruptionBudget: 'policy/v1',
};

/** The keys of what the chart makes, by Kubernetes 1.25: those that it uses, and no others. */
const KEYS = {
  object: 'apiVersion kind metadata spec',
  metadata: 'name labels annotations',
  Deployment: 'replicas strategy selector template',
  StatefulSet: 'replicas serviceName podManagementPolicy selector template volumeClaimTemplates',
  Service: 'clusterIP publishNotReadyAddresses selector ports',
  Ingress: 'ingressClassName tls rules',
  PodDisruptionBudget: 'maxUnavailable selector',
  pod: 'automountServiceAccountToken enableServiceLinks terminationGracePeriodSeconds imagePullSecrets securityContext containers volumes nodeSelector tolerations affinity',
  container:
    'name image imagePullPolicy securityContext env envFrom ports startupProbe readinessProbe livenessProbe resources volumeMounts',
  variable: 'name value valueFrom',
  probe: 'httpGet periodSeconds timeoutSeconds failureThreshold',
} as const;

export interface Parts {
  readonly workload: Manifest;
  /** As the container of the first pod gets it. */
  readonly env: Readonly<Record<string, string>>;
}

/** @throws AssertionError that names what does not fit */
export function checkParts(all: readonly Manifest[]): Parts {
  for (const each of all) checkKeys(each);
  const workload = all.find(({ spec }) => spec.template !== undefined);
  const pod = workload?.spec.template;
  const [container] = pod?.spec.containers ?? [];
  assert.ok(workload && pod && container, 'one workload with a container');
  checkSelectors(all, pod);
  checkPorts(all, container);
  checkVolumes(workload, pod, container);
  const { serviceName } = workload.spec;
  const services = all.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name);
  if (serviceName !== undefined) assert.ok(services.includes(serviceName), `service ${serviceName}`);
  assert.ok(pod.spec.securityContext.runAsNonRoot);
  // Links to a service named pinyon would be settings: PINYON_PORT=tcp://10.0.0.1:5080.
  assert.equal(pod.spec.enableServiceLinks, false);
  const env = environmentOf(container, `${workload.metadata.name}-0`);
  const served = container.ports.find(({ name }) => name === 'http');
  assert.equal(env.PINYON_PORT, String(served?.containerPort), 'it listens where the probes ask');
  return { workload, env };
}

function checkKeys(each: Manifest): void {
  const { kind, apiVersion, metadata, spec } = each;
  assert.equal(apiVersion, VERSIONS[kind], kind);
  onlyKeys(each, 'object');
  onlyKeys(metadata, 'metadata');
  assert.match(metadata.name, /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
  onlyKeys(spec, kind as keyof typeof KEYS);
  const { template } = spec;
  if (template === undefined) return;
  onlyKeys(template.metadata, 'metadata');
  onlyKeys(template.spec, 'pod');
  for (const container of template.spec.containers) {
    onlyKeys(container, 'container');
    for (const variable of container.env) onlyKeys(variable, 'variable');
    for (const name of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const) {
      onlyKeys(container[name], 'probe');
      assert.match(container[name].httpGet.path, /^\/health(\/live)?$/);
      assert.ok(
        container.ports.some((port) => port.name === container[name].httpGet.port),
        name,
      );
    }
    const { periodSeconds, failureThreshold } = container.startupProbe;
    assert.ok(periodSeconds * failureThreshold >= STARTUP_SECONDS_MIN, 'a long upgrade is ended');
  }
}

function onlyKeys(part: object, name: keyof typeof KEYS): void {
  const known = KEYS[name].split(' ');
  for (const key of Object.keys(part)) assert.ok(known.includes(key), `${name} has no key ${key}`);
}

function checkSelectors(all: readonly Manifest[], { metadata }: PodTemplate): void {
  for (const { kind, spec } of all) {
    if (kind === 'Ingress') continue;
    const wanted = Object.entries(spec.selector.matchLabels ?? spec.selector);
    assert.ok(wanted.length > 0, `${kind} selects something`);
    for (const [label, value] of wanted)
      assert.equal(metadata.labels[label], value, `${kind} selects the pods`);
  }
}

function checkPorts(all: readonly Manifest[], { ports: offered }: Container): void {
  for (const { kind, metadata, spec } of all) {
    const ports = spec.ports ?? [];
    assert.equal(
      new Set(ports.map(({ name }) => name)).size,
      ports.length,
      `${metadata.name}: names of ports`,
    );
    for (const { name, targetPort } of ports) {
      assert.ok(name.length <= 15, name);
      const isNamed = typeof targetPort === 'string';
      if (isNamed)
        assert.ok(
          offered.some((port) => port.name === targetPort),
          `${kind} port ${targetPort}`,
        );
    }
    for (const { host, http } of spec.rules ?? [])
      for (const { backend } of http.paths) {
        const service = all.find(
          (other) => other.kind === 'Service' && other.metadata.name === backend.service.name,
        );
        const isThere = service?.spec.ports?.some(({ name }) => name === backend.service.port.name);
        assert.ok(isThere, `${host} leads to a port of a service`);
      }
  }
}

function checkVolumes(workload: Manifest, pod: PodTemplate, { volumeMounts }: Container): void {
  const claims = workload.spec.volumeClaimTemplates ?? [];
  const volumes = [
    ...pod.spec.volumes.map(({ name }) => name),
    ...claims.map(({ metadata }) => metadata.name),
  ];
  assert.equal(new Set(volumes).size, volumes.length, 'each volume once');
  assert.deepEqual(volumeMounts.map(({ name }) => name).sort(), volumes.toSorted());
}

function environmentOf({ env }: Container, pod: string): Readonly<Record<string, string>> {
  const known = new Set(Object.values(SETTINGS).map((setting) => setting.env));
  const values: Record<string, string> = {};
  for (const { name, value, valueFrom } of env) {
    assert.ok(!Object.hasOwn(values, name), `${name} is given once`);
    if (valueFrom !== undefined) assert.equal(valueFrom.fieldRef.fieldPath, 'metadata.name');
    else assert.ok(known.has(name), `${name} is a setting`);
    // Kubernetes puts in what is defined before.
    const text = valueFrom === undefined ? String(value) : pod;
    values[name] = text.replaceAll(/\$\((\w+)\)/g, (_, other: string) => {
      assert.ok(Object.hasOwn(values, other), `${other} is defined before ${name}`);
      return values[other] ?? '';
    });
    assert.doesNotMatch(text, /undefined|<no value>|%!/, name);
  }
  return values;
}
