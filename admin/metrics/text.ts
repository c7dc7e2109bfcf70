/**
 * Metrics as text (Prometheus, "Text-based format", version 0.0.4):
 *
 *     family = "# HELP " name " " help LF "# TYPE " name " " type LF *sample      a blank line between two
 *     sample = name [ "{" label "=" DQUOTE value DQUOTE *( "," … ) "}" ] " " number LF
 *
 * In a help text, backslash and line feed are written `\\` and `\n`, in the value of a label also a quote as `\"`.
 */
import type { MetricFamily, MetricSample } from './metric.ts'

/** What an answer in this format says of itself. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** Writes families, one line after another; each is read in its turn. */
export function* writeMetrics(families: readonly MetricFamily[]): Generator<string, void, undefined> {
  const scrape = {}
  let before = ''
  for (const family of families) {
    const { name, help, type } = family
    yield `${before}# HELP ${name} ${help.replace(/[\\\n]/g, toEscape)}\n# TYPE ${name} ${type}\n`
    for (const sample of family.samples(scrape)) yield toLine(name, sample)
    before = '\n'
  }
}

const toLine = (name: string, { labels = {}, value, suffix }: MetricSample): string => {
  let list = ''
  for (const [label, text] of Object.entries(labels)) {
    list += `${list === '' ? '{' : ','}${label}="${text.replace(/[\\\n"]/g, toEscape)}"`
  }
  return `${name}${suffix ?? ''}${list === '' ? '' : `${list}}`} ${toNumber(value)}\n`
}

const toEscape = (character: string): string => (character === '\n' ? '\\n' : `\\${character}`)

/** As Go reads numbers. */
const toNumber = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value < 0 ? '-Inf' : '+Inf'
