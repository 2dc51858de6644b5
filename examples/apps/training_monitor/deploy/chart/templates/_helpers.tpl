{{/* The name of everything: the release's. */}}
{{- define "monitor.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* By which the Service and the Deployment find the pod; it never changes. */}}
{{- define "monitor.selector" -}}
app.kubernetes.io/name: {{ include "monitor.name" . }}
{{- end -}}

{{- define "monitor.labels" -}}
{{ include "monitor.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}
