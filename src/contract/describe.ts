import type { Schema } from './document.ts'

/** Says in words what a schema of a parameter accepts: `an integer from 1 to 512`. Used by messages and the page. */
export const describeSchema = (schema: Schema): string => {
  if (schema['x-sluice-expected'] !== undefined) return schema['x-sluice-expected']
  if (schema.enum !== undefined) {
    return `one of ${schema.enum.join(', ')}${schema['x-sluice-ignore-case'] === true ? ' (any case)' : ''}`
  }
  switch (schema.type) {
    case 'boolean':
      return 'true or false'
    case 'integer':
    case 'number':
      return `${schema.type === 'integer' ? 'an integer' : 'a number'}${toSpan(schema.minimum, schema.maximum)}`
    case 'string':
      return toText(schema)
    case 'array':
      return `any number of: ${schema.items === undefined ? 'a value' : describeSchema(schema.items)}`
    default:
      return 'a value'
  }
}

const toText = ({ minLength = 0, maxLength, pattern }: Schema): string => {
  const length = maxLength === undefined ? '' : minLength > 0 ? ` ${minLength} to ${maxLength}` : ` up to ${maxLength}`
  const text = length === '' ? 'text' : `text of${length} characters`
  return pattern === undefined ? text : `${text} like ${pattern}`
}

const toSpan = (minimum: number | undefined, maximum: number | undefined): string => {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `, at least ${minimum}`
  return maximum === undefined ? '' : `, at most ${maximum}`
}
