{{- define "pinyon.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "pinyon.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "pinyon.labels" -}}
{{ include "pinyon.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "pinyon.checks" -}}
{{- if not (has .Values.nodes.form (list "alone" "postgres" "mixed")) -}}
{{- fail "nodes.form must be alone, postgres or mixed" -}}
{{- end -}}
{{- if ne .Values.nodes.form "alone" -}}
{{- $_ := required "several nodes need publicUrl: they have no ports of indexes" .Values.publicUrl -}}
{{- $_ := required "several nodes need existingSecret: it has PINYON_DATABASE_URL" .Values.existingSecret -}}
{{- $_ := required "several nodes need settings.PINYON_BLOBS: a bucket that all share" .Values.settings.PINYON_BLOBS -}}
{{- end -}}
{{- end -}}
