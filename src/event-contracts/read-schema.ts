import { isMap, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { FormatError } from '../errors.ts'
import { parseJson } from '../formats/json.ts'
import { isObject } from '../formats/members.ts'
import type { Value } from '../formats/number.ts'
import { SchemaError } from './schema-error.ts'
import { maxSchemaBytes, maxSchemaDepth, maxSchemaValues } from './schema-limits.ts'

/** A place in a schema: the names and indexes that lead there. */
export type SchemaPath = readonly (string | number)[]

/** A schema as its file has it, numbers exact. */
export type SchemaFile = {
  /** Name of the file. */
  readonly file: string
  readonly root: Readonly<Record<string, Value>> | boolean
  /** An error about a place of the file. */
  readonly fault: (path: SchemaPath, why: string) => SchemaError
}

/** Reads the text of a file. @throws SchemaError not JSON, too large, or neither an object nor a boolean */
export const readSchema = (file: string, text: string): SchemaFile => {
  const fault = (path: SchemaPath, why: string): SchemaError => new SchemaError(file, lineOf(text, path), why)
  if (text.length > maxSchemaBytes) throw new SchemaError(file, undefined, `more than ${maxSchemaBytes} bytes`)
  const root = parse(file, text)
  if (typeof root !== 'boolean' && !isObject(root)) throw fault([], 'expected a JSON Schema, which is an object')
  checkSize(root, fault)
  return { file, root, fault }
}

const parse = (file: string, text: string): Value => {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    const line = text.slice(0, error.offset).split('\n').length
    throw new SchemaError(file, line, `not JSON: ${error.message.replace(/^json: | at character \d+$/g, '')}`, {
      cause: error,
    })
  }
}

const checkSize = (root: Value, fault: SchemaFile['fault']): void => {
  let values = 0
  const visit = (value: Value, path: SchemaPath): void => {
    if (++values > maxSchemaValues) throw fault([], `more than ${maxSchemaValues} values`)
    if (path.length > maxSchemaDepth) throw fault(path, `nested deeper than ${maxSchemaDepth} levels`)
    if (Array.isArray(value)) for (const [index, one] of value.entries()) visit(one, [...path, index])
    else if (isObject(value)) for (const name in value) visit(value[name] ?? null, [...path, name])
  }
  visit(root, [])
}

/** The line of a place, from 1. JSON is YAML, whose reader knows the place of everything; only errors need it. */
const lineOf = (text: string, path: SchemaPath): number | undefined => {
  const lines = new LineCounter()
  let node: unknown = parseDocument(text, { lineCounter: lines, uniqueKeys: false, logLevel: 'silent' }).contents
  let offset = offsetOf(node)
  for (const step of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => toText(key) === step) : undefined
    const next: unknown = pair ? pair.value : isSeq(node) ? node.items[Number(step)] : undefined
    // A member begins with its name.
    offset = offsetOf(pair?.key) ?? offsetOf(next) ?? offset
    node = next
  }
  return offset === undefined ? undefined : lines.linePos(offset).line
}

const toText = (key: unknown): unknown => (isScalarLike(key) ? String(key.value) : undefined)
const isScalarLike = (node: unknown): node is { readonly value: unknown } =>
  typeof node === 'object' && node !== null && 'value' in node
const offsetOf = (node: unknown): number | undefined => (node as Node | null | undefined)?.range?.[0]
