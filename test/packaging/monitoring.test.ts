import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import parsePrometheus from 'parse-prometheus-text-format'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { findProgram } from '../../scripts/find-program.ts'
import { startTestServer } from '../suites/admin.ts'
import { describePart } from '../suites/describe-part.ts'

const root = join(import.meta.dirname, '../..')
const rulesFile = join(root, 'deploy/prometheus/alerts.yaml')
const ruleTestsFile = join(root, 'deploy/prometheus/alerts.test.yaml')
const execute = promisify(execFile)

const ruleShape = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
  annotations: z.strictObject({ summary: z.string(), description: z.string(), runbook_url: z.string() }),
})
const rulesShape = z.strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(ruleShape) })) })
const rules = rulesShape.parse(parse(await readFile(rulesFile, 'utf8'))).groups.flatMap(group => group.rules)

const datasource = z.strictObject({ type: z.literal('prometheus'), uid: z.literal(`\${datasource}`) })
const panelShape = z.looseObject({
  id: z.int(),
  type: z.enum(['row', 'stat', 'timeseries']),
  title: z.string().min(1),
  gridPos: z.strictObject({ h: z.int(), w: z.int(), x: z.int(), y: z.int() }),
  datasource: datasource.optional(),
  targets: z
    .array(z.looseObject({ refId: z.string(), datasource, expr: z.string(), legendFormat: z.string() }))
    .default([]),
  fieldConfig: z.looseObject({ defaults: z.looseObject({ unit: z.string() }) }).optional(),
})
/** As far as Grafana's own model (kind `dashboard`, schema version 39) asks for it. */
const dashboardShape = z.looseObject({
  title: z.string(),
  uid: z.string().regex(/^[\w-]{1,40}$/),
  schemaVersion: z.literal(39),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  annotations: z.looseObject({ list: z.array(z.looseObject({ name: z.string(), expr: z.string().optional() })) }),
  templating: z.strictObject({
    list: z.array(
      z.looseObject({ name: z.string(), type: z.enum(['datasource', 'query']), definition: z.string().optional() }),
    ),
  }),
  panels: z.array(panelShape),
})
const dashboard = dashboardShape.parse(JSON.parse(await readFile(join(root, 'deploy/grafana/sluice.json'), 'utf8')))

/** Every query of alerts and dashboard, with what Grafana puts in. */
const queries = [
  ...rules.map(({ expr }) => expr),
  ...[...dashboard.panels.flatMap(({ targets }) => targets), ...dashboard.annotations.list].flatMap(({ expr }) =>
    expr === undefined
      ? []
      : [expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*').replaceAll('$job', 'sluice')],
  ),
]

/** `name{label="value",…}` of a query, and labels that it groups by. */
const toSelectors = (query: string) => {
  const selectors = [...query.matchAll(/([a-z_][a-z0-9_]*)\{([^}]*)\}/g)].map(([, name = '', matchers = '']) => ({
    name,
    matchers: [...matchers.matchAll(/([a-z_]+)(=~|=)"([^"]*)"/g)].map(([, label = '', operator = '', value = '']) => ({
      label,
      // Alternatives without other signs of patterns.
      values: operator === '=' ? [value] : value.split('|'),
    })),
  }))
  const groupedBy = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '))
  return { selectors, groupedBy }
}

/** Words that are neither metrics nor labels. */
const functions =
  /\b(?:sum|max|avg_over_time|topk|rate|increase|changes|histogram_quantile|predict_linear|time)(?= *\()/g

/** What Prometheus itself adds to each series, and makes of a target. */
const ownLabels = ['job', 'instance']

describe('alerts and dashboard', () => {
  test('ask for nothing but what a server tells, with the labels and values that it has', async () => {
    // TLS is looked at by the listeners, which are not open here; the file is that of the metric.
    const tls = ['cert', 'key'].map(name => `server.tls.${name}=/nowhere/${name}.pem`)
    const server = await startTestServer({
      set: ['realtime.broker=amqp://127.0.0.1:9', 'realtime.events=Order', ...tls],
    })
    await server.server('/1?v=Order')
    await server.server('/rest/1.0/json?path=/')
    const text = await (await server.admin('/metrics')).text()
    const told = new Map<string, Map<string, Set<string>>>()
    for (const [, name = '', labels = ''] of text.matchAll(/^([a-z_][a-z0-9_]*)(?:\{(.*)\})? \S+$/gm)) {
      const known = told.get(name) ?? new Map<string, Set<string>>()
      for (const [, label = '', value = ''] of labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)) {
        known.set(label, (known.get(label) ?? new Set()).add(value))
      }
      told.set(name, known)
    }
    expect(parsePrometheus(text).length).toBeGreaterThan(40)
    // Told only while it is wrong.
    for (const item of ['TokenFile', 'SettingsFile', 'SchemaFiles', 'EdgeThreads'])
      told.get('sluice_health')?.get('item')?.add(`${item}HealthCheck`)
    told.set('up', new Map())
    for (const query of queries) {
      const { selectors, groupedBy } = toSelectors(query)
      expect(selectors, query).not.toEqual([])
      const rest = query
        .replace(/([a-z_][a-z0-9_]*)\{[^}]*\}/g, '')
        .replace(/\bby \([^)]*\)/g, '')
        .replace(functions, '')
        .replace(/\b(?:or|and)\b|\[\w+\]/g, '')
      expect(rest, `${query} has a metric without {job=…}`).not.toMatch(/[a-z]/)
      for (const { name, matchers } of selectors) {
        const labels = told.get(name)
        expect(labels, `${name} in ${query}`).toBeDefined()
        for (const { label, values } of matchers.filter(one => !ownLabels.includes(one.label))) {
          for (const value of values) expect([...(labels?.get(label) ?? [])], query).toContain(value)
        }
        expect(
          matchers.map(({ label }) => label),
          query,
        ).toContain('job')
      }
      for (const label of groupedBy.filter(one => !ownLabels.includes(one))) {
        expect(
          selectors.every(({ name }) => told.get(name)?.has(label)),
          `${label} in ${query}`,
        ).toBe(true)
      }
    }
  })

  test('each alert leads to a paragraph of the runbook, which has no others, and is tried both ways', async () => {
    const runbook = await readFile(join(root, 'docs/runbook.md'), 'utf8')
    const headings = [...runbook.matchAll(/^## (Sluice\w+)$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual(rules.map(({ alert }) => alert))
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`)
    }
    const tried = z
      .looseObject({ tests: z.array(z.looseObject({ name: z.string() })) })
      .parse(parse(await readFile(ruleTestsFile, 'utf8')))
      .tests.map(({ name }) => name)
    for (const { alert } of rules)
      expect(tried).toEqual(expect.arrayContaining([`${alert} fires`, `${alert} does not`]))
    for (const { alert } of rules) {
      const [, paragraph = ''] = runbook.split(`\n## ${alert}\n`)
      const [own = ''] = paragraph.split('\n## ')
      expect(own, alert).toMatch(/\*\*At stake\*\*.*\*\*Look\*\*.*\*\*Do\*\*.*\*\*Over\*\*/s)
    }
  })

  test('the dashboard is whole: panels beside one another, variables that are there', () => {
    const { panels, templating } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const taken = new Set<string>()
    for (const { title, type, gridPos, targets, datasource: source, fieldConfig } of panels) {
      const { x, y, w, h } = gridPos
      expect(x + w, title).toBeLessThanOrEqual(24)
      for (let column = x; column < x + w; column++) {
        for (let line = y; line < y + h; line++) {
          expect(taken.has(`${column},${line}`), title).toBe(false)
          taken.add(`${column},${line}`)
        }
      }
      if (type === 'row') continue
      expect([source, fieldConfig?.defaults.unit, targets.length > 0], title).toEqual([
        expect.anything(),
        expect.any(String),
        true,
      ])
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length)
    }
    const known = [...templating.list.map(({ name }) => name), '__rate_interval']
    const used = [...JSON.stringify(dashboard).matchAll(/\$\{?(\w+)/g)].map(([, name]) => name)
    expect(known).toEqual(expect.arrayContaining([...new Set(used)]))
    expect(new Set(used)).toEqual(new Set(known))
  })
})

const promtool = await findProgram('promtool')

describePart('promtool', promtool === undefined ? '"promtool" is not on the PATH' : undefined, 'Prometheus', () => {
  const run = async (...args: readonly string[]): Promise<string> =>
    (await execute(promtool ?? 'promtool', args)).stdout

  test('takes the alerts, and they fire when they should', async () => {
    expect(await run('check', 'rules', rulesFile)).toContain(`${rules.length} rules found`)
    expect(await run('test', 'rules', ruleTestsFile)).toContain('SUCCESS')
  })

  test('reads every query of alerts and dashboard', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-queries-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const file = join(directory, 'queries.yaml')
    const asRules = (expressions: readonly string[]): string =>
      JSON.stringify({
        groups: [{ name: 'queries', rules: expressions.map((expr, i) => ({ record: `query${i}`, expr })) }],
      })
    await writeFile(file, asRules(queries))
    expect(await run('check', 'rules', file)).toContain(`${queries.length} rules found`)
    await writeFile(file, asRules([...queries, 'sum by (rate(']))
    await expect(run('check', 'rules', file)).rejects.toThrow('could not parse expression')
  })
})
