{{- define "handset.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "handset.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "handset.labels" -}}
{{ include "handset.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "handset.secret" -}}
{{- default (include "handset.name" .) .Values.existingSecret }}
{{- end }}

{{- /* Whether the nodes have a PostgreSQL, here or elsewhere. */ -}}
{{- define "handset.shared" -}}
{{- if or .Values.postgresql.enabled .Values.database.url (and .Values.existingSecret (not .Values.database.sqlite)) (gt (int .Values.replicas) 1) }}yes{{ end }}
{{- end }}
