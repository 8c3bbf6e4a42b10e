{{- define "pinyon.pod" -}}
metadata:
  labels: {{- include "pinyon.labels" . | nindent 4 }}
  {{- with .Values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  # For a service named pinyon they would set PINYON_PORT to an address.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  containers:
    - name: pinyon
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      env:
        - { name: PINYON_PORT, value: "5080" }
        {{- if .Values.publicUrl }}
        - { name: PINYON_PUBLIC_URL, value: {{ .Values.publicUrl | quote }} }
        {{- else }}
        - { name: PINYON_PUBLIC_HOST, value: "{{ include "pinyon.name" . }}.{{ .Release.Namespace }}.svc" }
        - name: PINYON_INDEX_PORTS
          value: "{{ .Values.indexPorts.first }}-{{ .Values.indexPorts.last }}"
        # The network of the cluster, which the operator answers for.
        - { name: PINYON_INSECURE, value: "true" }
        {{- end }}
        {{- with .Values.trustedProxies }}
        - { name: PINYON_TRUSTED_PROXIES, value: {{ join "," . | quote }} }
        {{- end }}
        {{- if eq .Values.nodes.form "postgres" }}
        - { name: PINYON_ENGINE, value: postgres }
        {{- else if eq .Values.nodes.form "mixed" }}
        - name: POD_NAME
          valueFrom:
            fieldRef: { fieldPath: metadata.name }
        - name: PINYON_NODE_ADDRESS
          value: "http://$(POD_NAME).{{ include "pinyon.name" . }}-nodes.{{ .Release.Namespace }}.svc:5080"
        {{- end }}
        {{- range $name, $value := .Values.settings }}
        - { name: {{ $name }}, value: {{ $value | toString | quote }} }
        {{- end }}
      {{- with .Values.existingSecret }}
      envFrom:
        - secretRef: { name: {{ . }} }
      {{- end }}
      ports:
        - { name: http, containerPort: 5080 }
      # The base port answers last: after many indexes, and after tables of an earlier release that are brought up to date.
      # A pod that is ended in the middle of that begins again. One that cannot start ends by itself.
      startupProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 2
        failureThreshold: {{ div (int .Values.startupSecondsMax) 2 }}
      readinessProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 5
      livenessProbe:
        # A node without its database is not ready, and restarting it would not help.
        httpGet: { path: /health/live, port: http }
        periodSeconds: 10
        timeoutSeconds: 10
        failureThreshold: 6
      resources: {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
  volumes:
    - { name: tmp, emptyDir: {} }
    {{- if eq .Values.nodes.form "postgres" }}
    # Models and temporary files.
    - { name: data, emptyDir: {} }
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
