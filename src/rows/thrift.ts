import { rebase } from '../codecs/rebase.ts'
import { FormatError, LimitError } from '../errors.ts'
import { Budget } from '../formats/budget.ts'
import type { Value } from '../formats/number.ts'
import { readRecords } from '../formats/thrift/envelope-stream.ts'
import { decodeFields } from '../formats/thrift/field-list.ts'
import { toFieldValue } from '../formats/thrift/field-value.ts'
import type { ThriftField } from '../formats/thrift/types.ts'
import { toUniqueNames } from '../formats/unique-names.ts'
import { type Format, type FormatInput, inSteps, toNothing } from './format.ts'
import { BatchSize, tooLong } from './limits.ts'
import type { RowBatch } from './reading.ts'
import type { Registrar } from './registrar/registrar.ts'
import type { Row } from './row.ts'

/** Most columns that are made up for ids left out between others: one pair of far ids must not give thousands. */
const maxGaps = 128

/**
 * Records of a `.thrift` file: a column for each field, named by its id, or by the registrar. Ids that are left out are
 * empty columns, as in the original. `raw` has no effect.
 */
export const thriftFormat: Format = {
  name: 'thrift',
  isResumable: true,
  open: input => ({ serializer: 'thrift', batches: readThriftRows(input) }),
}

const readThriftRows = (input: FormatInput): AsyncIterable<RowBatch> => {
  const { queue, limits } = input
  const budget = new Budget('thrift', limits)
  const toRow = createThriftRows(input.registrar, budget, toNothing(input.nulls))
  return inSteps(input, async first => {
    if (!(await queue.ensure(1))) return undefined
    const rows: Row[] = []
    const size = new BatchSize()
    let failure: Error | undefined
    let end = 0
    const bytes = queue.view()
    try {
      for (const record of readRecords(bytes)) {
        budget.refill(first + rows.length, queue.offset + record.start)
        rows.push(toRow(record.typeName, record.payload))
        end = record.end
        if (size.add(budget)) break
      }
    } catch (error) {
      failure = rebase(error, queue.offset)
    }
    queue.skip(end)
    // A record that breaks off may continue in the next bytes; its length is unknown.
    if (failure === undefined || end > 0) return { rows }
    if (!(failure instanceof FormatError) || failure instanceof LimitError) throw failure
    if (queue.available >= limits.bytes.max) throw tooLong('thrift', first, queue.offset, limits)
    if (!(await queue.grow())) throw failure
    return { rows }
  })
}

/**
 * Makes rows of events: type name and payload, a field list.
 * @param budget of one row, which the caller refills
 * @param absentValue the value of a field that is left out
 * @throws FormatError `thrift` from the payload, LimitError over the budget
 */
export const createThriftRows = (
  registrar: Registrar,
  budget: Budget,
  absentValue: Value,
): ((typeName: string, payload: Uint8Array) => Row) => {
  const layouts = new Map<string, Layout>()
  return (typeName, payload) => {
    const fields = decodeFields(payload, 0, payload.length, budget)
    let layout = layouts.get(typeName)
    if (!layout || !fits(layout, fields)) {
      layout = toLayout(fields, registrar.fields(typeName))
      if (layouts.size >= maxLayouts) layouts.clear()
      layouts.set(typeName, layout)
    }
    const { names, sources } = layout
    const values: Value[] = []
    for (const source of sources) {
      const field = fields[source]
      values.push(field === undefined ? absentValue : toFieldValue(field))
    }
    return { names, values }
  }
}

/** Types whose last layout is remembered. */
const maxLayouts = 1_000

/** Columns of events with these ids in this order; a source is the index of a field, -1 for none. */
type Layout = {
  readonly ids: readonly number[]
  readonly names: readonly string[]
  readonly sources: readonly number[]
}

const fits = ({ ids }: Layout, fields: readonly ThriftField[]): boolean => {
  if (ids.length !== fields.length) return false
  for (let i = 0; i < ids.length; i++) if (ids[i] !== fields[i]?.id) return false
  return true
}

const toLayout = (fields: readonly ThriftField[], schema: ReturnType<Registrar['fields']>): Layout => {
  const ids = fields.map(({ id }) => id)
  const columns: { readonly name: string; readonly source: number }[] = []
  for (const { id, name } of schema ?? []) columns.push({ name, source: ids.lastIndexOf(id) })
  const used = new Set(columns.map(({ source }) => source))
  const fillsGaps = schema === undefined && canFillGaps(ids)
  for (const [source, id] of ids.entries()) {
    const before = ids[source - 1]
    if (fillsGaps && before !== undefined) {
      for (let gap = before + 1; gap < id; gap++) columns.push({ name: String(gap), source: -1 })
    }
    if (!used.has(source)) columns.push({ name: String(id), source })
  }
  return { ids, names: toUniqueNames(columns.map(({ name }) => name)), sources: columns.map(({ source }) => source) }
}

const canFillGaps = (ids: readonly number[]): boolean => {
  const [first = 0] = ids
  const isAscending = ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? id))
  return isAscending && (ids.at(-1) ?? first) - first + 1 - ids.length <= maxGaps
}
