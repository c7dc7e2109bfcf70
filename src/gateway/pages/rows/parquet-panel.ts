import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import type {
  Cut,
  ParquetBound,
  ParquetChunk,
  ParquetElement,
  ParquetGroup,
  ParquetSummary,
} from '../../../rows/parquet/summary.ts'
import { toCounted, toCountText } from '../elements/format.ts'
import { toSizeMark } from '../elements/marks.ts'
import { toVisibleText } from '../elements/visible-text.ts'

/** Levels of the schema that are shown as such; deeper ones are shown below the last level. */
const maxLevels = 12

/** What the footer of a Parquet file says: folded, the columns of each row group once more. */
export const toParquetPanel = (summary: ParquetSummary): Markup => {
  const { rows, columns, createdBy, footer, keys, schema, groups } = summary
  return html`<details class="parquet">
<summary>Parquet: ${toCounted(columns, 'column')}, ${toCounted(rows, 'row')} in ${toCounted(groups.count, 'row group')}</summary>
<dl class="facts">
${createdBy === undefined ? '' : html`<div><dt>Written by</dt><dd>${toVisibleText(createdBy)}</dd></div>`}
<div><dt>Footer</dt><dd>${toSizeMark(footer)}</dd></div>
${keys.count === 0 ? '' : html`<div><dt>Metadata</dt><dd>${keys.shown.map((key, index) => html`${index === 0 ? '' : ', '}${toVisibleText(key)}`)}${toRest(keys, 'name')}</dd></div>`}
</dl>
<h2>Schema</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Schema"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Stored as</th><th scope="col">Type</th><th scope="col">Nullable</th></tr></thead>
<tbody>${schema.shown.map(toElementRow)}</tbody>
</table></div>
${toRest(schema, 'line')}
<h2>Row groups</h2>
${groups.shown.map(toGroup)}
${toRest(groups, 'row group')}
</details>`
}

const toElementRow = ({ name, depth, type, logicalType, repetition }: ParquetElement): Markup => {
  const levels = Array.from({ length: Math.min(depth, maxLevels) }, () => html`<span class="level"></span>`)
  const nullable = { required: 'no', optional: 'yes', repeated: 'repeated' }[repetition]
  return html`<tr><th scope="row">${levels}${toVisibleText(name)}</th><td>${type}</td><td>${logicalType}</td><td>${nullable}</td></tr>
`
}

const toGroup = (group: ParquetGroup, index: number): Markup => {
  const { rows, compressed, uncompressed, offset, chunks } = group
  const title = html`Row group ${toCountText(index)}: ${toCounted(rows, 'row')}, ${toSizeMark(compressed)} (${toSizeMark(uncompressed)} unpacked), from byte ${toCountText(offset)}`
  if (chunks.shown.length === 0) return html`<p class="group">${title}</p>`
  return html`<details class="group"><summary>${title}</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Columns of row group ${index}"><table>
<thead><tr><th scope="col">Column</th><th scope="col">Smallest</th><th scope="col">Largest</th><th scope="col" class="num">Nulls</th><th scope="col" class="num">Size</th><th scope="col" class="num">Unpacked</th><th scope="col">Codec</th><th scope="col">Encodings</th></tr></thead>
<tbody>${chunks.shown.map(toChunkRow)}</tbody>
</table></div>
${toRest(chunks, 'column')}</details>`
}

const toChunkRow = (chunk: ParquetChunk): Markup => {
  const { path, min, max, nulls, compressed, uncompressed, codec, encodings } = chunk
  return html`<tr><th scope="row">${toVisibleText(path)}</th><td>${toBound(min)}</td><td>${toBound(max)}</td><td class="num">${nulls === undefined ? unknown : toCountText(nulls)}</td><td class="num">${toSizeMark(compressed)}</td><td class="num">${toSizeMark(uncompressed)}</td><td>${codec}</td><td>${encodings.join(', ')}</td></tr>
`
}

const unknown = html`<span class="dim">–</span>`

const toBound = (bound: ParquetBound | undefined): Markup => {
  if (bound === undefined) return unknown
  const text = bound.text === '' ? html`<span class="dim">empty</span>` : toVisibleText(bound.text)
  return bound.isCut ? html`${text}<span class="dim" title="the value goes on">…</span>` : text
}

const toRest = ({ shown, count }: Cut<unknown>, one: string): Markup | string =>
  count > shown.length ? html`<p class="dim">… and ${toCounted(count - shown.length, `more ${one}`)}.</p>` : ''
