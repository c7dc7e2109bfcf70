{{- define "sluice.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- /* Room is left for `-management`, and for what a StatefulSet adds. */}}
{{- define "sluice.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (include "sluice.name" .) .Release.Name }}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "sluice.name" .) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "sluice.selector" -}}
app.kubernetes.io/name: {{ include "sluice.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sluice.labels" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "sluice.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "sluice.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "sluice.tokenSecret" -}}
{{- default (printf "%s-tokens" (include "sluice.fullname" .)) .Values.auth.existingSecret }}
{{- end }}

{{- /* Not empty where collectors have no volumes: only a log that is in HDFS as well survives its pod. */}}
{{- define "sluice.isDeployment" -}}
{{- if eq .Values.collector.kind "Deployment" }}
{{- if ne (get .Values.settings "collector.ack") "replicated" }}
{{- fail "collector.kind Deployment keeps no volume, so a pod that goes takes its events with it: set settings.\"collector.ack\" to replicated (and settings.\"namenode.url\"), or leave collector.kind at StatefulSet" }}
{{- end }}
{{- "true" }}
{{- end }}
{{- end }}

{{- define "sluice.scheme" -}}
{{- ternary "HTTPS" "HTTP" (ne .Values.tls.secretName "") }}
{{- end }}

{{- define "sluice.managementScheme" -}}
{{- ternary "https" "http" (ne .Values.tls.managementSecretName "") }}
{{- end }}

{{- /* What the chart decides, and over it nothing: the schema keeps these keys out of `settings`. */}}
{{- define "sluice.settings" -}}
{{- $name := include "sluice.fullname" . }}
{{- $own := dict
  "services" (ternary (list "collector" "gateway") (list "collector") .Values.gateway.enabled)
  "data.dir" "/var/lib/sluice"
  "collector.diskspool.path" "/var/lib/sluice/spool"
  "server.host" "0.0.0.0"
  "server.port" 8080
  "server.drain-delay-seconds" (int .Values.drain.delaySeconds)
  "admin.host" "0.0.0.0"
  "admin.port" 8081
  "auth.tokens" "/etc/sluice/tokens/tokens"
  "collector.auth" (ternary "token" "open" .Values.auth.collector)
  "collector.scribe.enabled" .Values.scribe.enabled
}}
{{- if .Values.gateway.enabled }}
{{- $gateway := printf "%s-gateway" $name }}
{{- $inside := list $gateway (printf "%s.%s" $gateway .Release.Namespace) (printf "%s.%s.svc" $gateway .Release.Namespace) (printf "%s.%s.svc.cluster.local" $gateway .Release.Namespace) }}
{{- $hosts := concat $inside (ternary .Values.gateway.ingress.hosts (list) .Values.gateway.ingress.enabled) .Values.gateway.allowedHosts }}
{{- $_ := set $own "gateway.host" "0.0.0.0" }}
{{- $_ := set $own "gateway.port" 8082 }}
{{- $_ := set $own "server.allowed-hosts" ($hosts | uniq) }}
{{- end }}
{{- if .Values.scribe.enabled }}
{{- $_ := set $own "collector.scribe.host" "0.0.0.0" }}
{{- $_ := set $own "collector.scribe.port" 7911 }}
{{- end }}
{{- if .Values.tls.secretName }}
{{- $_ := set $own "server.tls.cert" "/etc/sluice/tls/tls.crt" }}
{{- $_ := set $own "server.tls.key" "/etc/sluice/tls/tls.key" }}
{{- end }}
{{- if .Values.tls.managementSecretName }}
{{- $_ := set $own "admin.tls.cert" "/etc/sluice/management-tls/tls.crt" }}
{{- $_ := set $own "admin.tls.key" "/etc/sluice/management-tls/tls.key" }}
{{- end }}
{{- with .Values.kerberos }}
{{- if and .keytabSecret .principal }}
{{- $_ := set $own "namenode.kerberos.principal" .principal }}
{{- $_ := set $own "namenode.kerberos.keytab" (printf "/etc/sluice/keytabs/%s" .namenodeKey) }}
{{- end }}
{{- if and .keytabSecret .callersKey }}
{{- $_ := set $own "auth.kerberos.keytab" (printf "/etc/sluice/keytabs/%s" .callersKey) }}
{{- end }}
{{- end }}
{{- mergeOverwrite (deepCopy .Values.settings) $own | toYaml }}
{{- end }}
