/** Messages of OpenTelemetry's logs (opentelemetry-proto 1.10: collector/logs/v1, logs/v1, resource/v1, common/v1). */
import type { ProtobufMessage } from './protobuf-json.ts'

const anyValue: ProtobufMessage = {
  1: { name: 'stringValue', of: 'text' },
  2: { name: 'boolValue', of: 'boolean' },
  3: { name: 'intValue', of: 'int64' },
  4: { name: 'doubleValue', of: 'double' },
  5: { name: 'arrayValue', of: () => ({ 1: { name: 'values', of: () => anyValue, isList: true } }) },
  6: { name: 'kvlistValue', of: () => ({ 1: { name: 'values', of: () => keyValue, isList: true } }) },
  7: { name: 'bytesValue', of: 'base64' },
}

const keyValue: ProtobufMessage = {
  1: { name: 'key', of: 'text' },
  2: { name: 'value', of: () => anyValue },
}

const entityRef: ProtobufMessage = {
  1: { name: 'schemaUrl', of: 'text' },
  2: { name: 'type', of: 'text' },
  3: { name: 'idKeys', of: 'text', isList: true },
  4: { name: 'descriptionKeys', of: 'text', isList: true },
}

const resource: ProtobufMessage = {
  1: { name: 'attributes', of: () => keyValue, isList: true },
  2: { name: 'droppedAttributesCount', of: 'uint32' },
  3: { name: 'entityRefs', of: () => entityRef, isList: true },
}

const scope: ProtobufMessage = {
  1: { name: 'name', of: 'text' },
  2: { name: 'version', of: 'text' },
  3: { name: 'attributes', of: () => keyValue, isList: true },
  4: { name: 'droppedAttributesCount', of: 'uint32' },
}

const logRecord: ProtobufMessage = {
  1: { name: 'timeUnixNano', of: 'fixed64' },
  2: { name: 'severityNumber', of: 'uint32' },
  3: { name: 'severityText', of: 'text' },
  5: { name: 'body', of: () => anyValue },
  6: { name: 'attributes', of: () => keyValue, isList: true },
  7: { name: 'droppedAttributesCount', of: 'uint32' },
  8: { name: 'flags', of: 'fixed32' },
  9: { name: 'traceId', of: 'hex' },
  10: { name: 'spanId', of: 'hex' },
  11: { name: 'observedTimeUnixNano', of: 'fixed64' },
  12: { name: 'eventName', of: 'text' },
}

const scopeLogs: ProtobufMessage = {
  1: { name: 'scope', of: () => scope },
  2: { name: 'logRecords', of: () => logRecord, isList: true },
  3: { name: 'schemaUrl', of: 'text' },
}

const resourceLogs: ProtobufMessage = {
  1: { name: 'resource', of: () => resource },
  2: { name: 'scopeLogs', of: () => scopeLogs, isList: true },
  3: { name: 'schemaUrl', of: 'text' },
}

/** `ExportLogsServiceRequest`. */
export const exportLogs: ProtobufMessage = { 1: { name: 'resourceLogs', of: () => resourceLogs, isList: true } }
