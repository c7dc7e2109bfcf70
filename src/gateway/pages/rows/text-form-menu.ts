import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { encodings } from '../../../rows/text/encoding.ts'
import { decimalNames, delimiterNames, quoteNames } from '../../rows/text-form.ts'
import { browsePath, toHiddenFields } from '../elements/links.ts'
import type { PageWindow } from '../find/read-window.ts'
import type { ViewLinks } from './view-links.ts'

/** Names of what a page says and offers. */
const labels: Readonly<Record<string, string>> = {
  comma: 'Comma ,',
  semicolon: 'Semicolon ;',
  tab: 'Tab',
  bar: 'Bar |',
  double: 'Double "',
  single: "Single '",
  none: 'None',
  point: 'Point .',
  true: 'Yes',
  false: 'No',
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 (little endian)',
  'utf-16be': 'UTF-16 (big endian)',
  'windows-1252': 'Windows-1252 (Latin-1)',
}

/** How text was read, for people: `semicolon ; header, Windows-1252`; empty for what is not text, or usual in all. */
export const toTextFormText = ({ dialect, encoding }: Pick<PageWindow, 'dialect' | 'encoding'>): string => {
  const parts: string[] = []
  const delimiter = nameOf(delimiterNames, dialect?.delimiter)
  if (dialect && delimiter !== 'comma') parts.push(labels[delimiter ?? ''] ?? `separated by ${dialect.delimiter}`)
  if (dialect?.quote !== undefined && dialect.quote !== '"')
    parts.push(`quotes: ${labels[nameOf(quoteNames, dialect.quote) ?? '']}`)
  if (dialect?.decimal === ',') parts.push('decimal comma')
  if (dialect?.header === false) parts.push('no header')
  if (encoding !== undefined && encoding !== 'utf-8') parts.push(labels[encoding] ?? encoding)
  return parts.join(', ')
}

const nameOf = (names: ReadonlyMap<string, string>, value: string | undefined): string | undefined =>
  [...names].find(([, one]) => one === value)?.[0]

/** The menu that reads a file otherwise; nothing for what is not text. */
export const toTextFormMenu = (
  links: ViewLinks,
  { dialect, encoding }: Pick<PageWindow, 'dialect' | 'encoding'>,
): Markup | string => {
  if (encoding === undefined) return ''
  const told = links.query()
  const menu = (name: string, label: string, values: readonly string[]): Markup => {
    const now = told[name]
    const all = typeof now === 'string' && now !== '' && !values.includes(now) ? [...values, now] : values
    return html`<label>${label} <select name="${name}"><option value="">Found out</option>${all.map(
      value => html`<option value="${value}"${value === now ? html` selected` : ''}>${labels[value] ?? value}</option>`,
    )}</select></label>
`
  }
  const others = {
    delimiter: undefined,
    quote: undefined,
    decimal: undefined,
    'has-header': undefined,
    encoding: undefined,
  }
  return html`<details class="choose">
<summary>Read it otherwise</summary>
<form method="get" action="${browsePath}">
${toHiddenFields(links.query(others))}
<fieldset><legend class="sr">How the text is read</legend>
${dialect ? [menu('delimiter', 'Columns end with', [...delimiterNames.keys()]), menu('quote', 'Quotes', [...quoteNames.keys()]), menu('decimal', 'Decimals', [...decimalNames.keys()]), menu('has-header', 'Header', ['true', 'false'])] : ''}${menu('encoding', 'Encoding', encodings)}</fieldset>
<p class="actions"><button>Read</button></p>
</form>
</details>`
}
