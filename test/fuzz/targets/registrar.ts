import { createHttpRegistrar } from '../../../src/rows/registrar/http-registrar.ts'
import { toWords } from '../words.ts'

/** What a schema registry answers. */
export const name = 'registrar'

export const dictionary = [
  ...toWords(`
    { } [ ] , "types":[ "name": "schema":[ "type": "position": null 1e9 -1 "__proto__" "boolean"
    "string" "ip" 32767 32768 "" {"toString":1}
  `),
]

const types = new Set(['boolean', 'byte', 'short', 'integer', 'long', 'double', 'string', 'date', 'ip'])

/** It knows the types that can be used, in the order of their fields; it takes no answer as fatal. */
export const run = async (bytes: Uint8Array): Promise<void> => {
  const { promise: isRead, resolve: onRead } = Promise.withResolvers<void>()
  const body = new Response(new Uint8Array(bytes))
  const registrar = createHttpRegistrar({
    url: 'http://registry',
    refreshMs: 60_000,
    fetch: async () => {
      // The registrar continues in the microtasks after the end of the body.
      setImmediate(() => setImmediate(onRead))
      return body
    },
    log: { warn: () => {} },
  })
  await isRead
  for (const name of ['a', '__proto__', 'constructor', 'Hello']) {
    const fields = registrar.fields(name) ?? []
    for (const [i, field] of fields.entries()) {
      if (!types.has(field.type) || field.name === '') throw new Error(`a field ${JSON.stringify(field)}`)
      if (field.id < (fields[i - 1]?.id ?? -32_768)) throw new Error('fields out of order')
    }
  }
  registrar.close()
}
