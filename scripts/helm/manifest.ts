// The parts of Kubernetes objects that the checks of the chart read.

type Labels = Readonly<Record<string, string>>;

export interface Container {
  readonly env: readonly EnvironmentVariable[];
  readonly envFrom?: readonly object[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}

interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

export interface PodTemplate {
  readonly metadata: { readonly labels: Labels };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly enableServiceLinks?: boolean;
    readonly volumes: readonly { readonly name: string }[];
    readonly securityContext: { readonly runAsNonRoot: boolean };
  };
}

export interface IngressRule {
  readonly host: string;
  readonly http: { readonly paths: readonly { readonly backend: { readonly service: Backend } }[] };
}

interface Backend {
  readonly name: string;
  readonly port: { readonly name: string };
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  /** Where the template was no YAML. */
  readonly Error?: string;
  readonly metadata: { readonly name: string; readonly labels: Labels };
  readonly spec: {
    readonly replicas?: number;
    readonly serviceName?: string;
    /** Of services it has the labels themselves. */
    readonly selector: Labels & { readonly matchLabels?: Labels };
    readonly template?: PodTemplate;
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
    readonly ports?: readonly {
      readonly name: string;
      readonly port: number;
      readonly targetPort: string | number;
    }[];
    readonly rules?: readonly IngressRule[];
  };
}
