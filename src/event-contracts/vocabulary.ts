/** The keywords of JSON Schema 2020-12 that a contract may have, by the kind of their values. */

/** Members that the server fills in, and has checked where they were sent. */
export const ownMembers: readonly string[] = ['eventDate', 'eventGranularity']

/** One schema: of the place itself, or of what is in it, of which there may be many. */
export const schemaKeywords: ReadonlyMap<string, 'here' | 'each'> = new Map([
  ['not', 'here'],
  ['if', 'here'],
  ['then', 'here'],
  ['else', 'here'],
  ['additionalProperties', 'each'],
  ['unevaluatedProperties', 'each'],
  ['propertyNames', 'each'],
  ['items', 'each'],
  ['unevaluatedItems', 'each'],
  ['contains', 'each'],
])

/** Lists of schemas. */
export const listKeywords: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])

/** Schemas by name. */
export const mapKeywords: ReadonlyMap<string, 'here' | 'each'> = new Map([
  ['properties', 'here'],
  ['patternProperties', 'each'],
  ['dependentSchemas', 'here'],
  ['$defs', 'each'],
  ['definitions', 'each'],
])

/** Values, taken as they are. */
export const valueKeywords: ReadonlySet<string> = new Set([
  'required',
  'dependentRequired',
  'minProperties',
  'maxProperties',
  'minItems',
  'maxItems',
  'minContains',
  'maxContains',
  'minLength',
  'maxLength',
  'pattern',
])

/** Keywords that look at all of what they look at, however large it is. */
export const sizedKeywords: ReadonlySet<string> = new Set([
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'unevaluatedProperties',
  'unevaluatedItems',
])

/** Keywords that may refuse a member for its name, or for there being too many. */
export const closingKeywords: ReadonlySet<string> = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'patternProperties',
  'maxProperties',
])

/** Keywords with schemas for the same place. */
export const inPlaceKeywords: ReadonlySet<string> = new Set([
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
])

/** Words about a schema that judge nothing; so are all that begin with `x-`. */
export const notes: ReadonlySet<string> = new Set([
  '$comment',
  '$vocabulary',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
])

/** What is not taken, and what to do instead. */
export const refusedKeywords: ReadonlyMap<string, string> = new Map([
  ['$dynamicRef', 'is not taken: use $ref'],
  ['$dynamicAnchor', 'is not taken: use $anchor'],
  ['$recursiveRef', 'is of an older draft: use $ref'],
  ['$recursiveAnchor', 'is of an older draft: use $anchor'],
  ['id', 'is of an older draft: use $id'],
  ['additionalItems', 'is of an older draft: use items, beside prefixItems'],
  ['dependencies', 'is of an older draft: use dependentRequired or dependentSchemas'],
  ['nullable', 'is of OpenAPI 3.0: use "type": ["…", "null"]'],
  ['discriminator', 'is of OpenAPI: use oneOf with const'],
])
