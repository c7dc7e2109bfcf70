// What the Helm chart knows of the server, and what its README knows of the chart.

import { isMap, parseDocument } from 'yaml'
import { z } from 'zod'
import { knownKeys, settingOf } from '../../src/config/table.ts'

/** Settings that the chart decides, by other values: ports, paths, files of secrets. Templates/_helpers.tpl says how. */
export const chartSettings: readonly string[] = [
  'services',
  'data.dir',
  'collector.diskspool.path',
  'server.host',
  'server.port',
  'server.drain-delay-seconds',
  'server.allowed-hosts',
  'server.tls.cert',
  'server.tls.key',
  'gateway.host',
  'gateway.port',
  'admin.host',
  'admin.port',
  'admin.tls.cert',
  'admin.tls.key',
  'auth.tokens',
  'auth.kerberos.keytab',
  'collector.auth',
  'collector.scribe.enabled',
  'collector.scribe.host',
  'collector.scribe.port',
  'namenode.kerberos.principal',
  'namenode.kerberos.keytab',
]

const schemaShape = z.looseObject({ definitions: z.looseObject({}) })

/** Puts the settings of today into the schema of the chart's values: Helm then refuses what the server would refuse. */
export const fillChartSchema = (text: string): string => {
  const schema = schemaShape.parse(JSON.parse(text))
  const keys = knownKeys.filter(key => !chartSettings.includes(key) && settingOf(key).secret !== true)
  const settings = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      keys.map(key => {
        const { sentence, type, retired } = settingOf(key)
        return [key, { ...(retired && { deprecated: true }), description: sentence, ...toType(type) }]
      }),
    ),
  }
  return `${JSON.stringify({ ...schema, definitions: { ...schema.definitions, settings } }, null, 2)}\n`
}

/** A type of the table of settings, in JSON Schema; bounds are the server's to check. */
const toType = (type: string): Readonly<Record<string, unknown>> => {
  const choices = [...type.matchAll(/`([^`]+)`/g)].map(([, choice]) => choice)
  if (choices.length > 0) return { enum: choices }
  return typeOf[type] ?? { type: 'string' }
}

const typeOf: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  integer: { type: 'integer' },
  size: { type: ['integer', 'string'] },
  boolean: { type: 'boolean' },
  list: { type: ['array', 'string'] },
  map: { type: ['object', 'string'] },
  // A token of a mount would end up in the ConfigMap.
  'list of maps': { type: 'array', items: { type: 'object', properties: { token: false } } },
}

/** The values as a Markdown table: each key with its default and the comment above it. @throws Error for one without */
export const toValuesTable = (yaml: string): string => {
  const values = parseDocument(yaml)
  const rows: string[] = []
  let path: readonly string[] = []
  let comment = ''
  // Keys below a key whose comment describes all of it.
  let described: number | undefined
  for (const line of yaml.split('\n')) {
    const [, remark] = /^ *# (.*)$/.exec(line) ?? []
    if (remark !== undefined) comment = comment === '' ? remark : `${comment} ${remark}`
    // The head of the file.
    if (line === '') comment = ''
    const [, indent, key] = /^( *)([\w.-]+):/.exec(line) ?? []
    if (indent === undefined || key === undefined) continue
    const depth = indent.length / 2
    if (described !== undefined && depth > described) continue
    path = [...path.slice(0, depth), key]
    const value = values.getIn(path, true)
    described = comment === '' ? undefined : depth
    if (comment !== '') {
      rows.push(`| \`${path.join('.')}\` | \`${JSON.stringify(value)}\` | ${comment.replaceAll('|', '\\|')} |`)
    } else if (!isMap(value)) throw new Error(`values.yaml does not say what ${path.join('.')} is`)
    comment = ''
  }
  return ['| value | default | |', '|---|---|---|', ...rows].join('\n')
}
