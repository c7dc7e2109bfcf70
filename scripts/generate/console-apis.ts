import { apis, apiTable } from '../../src/spool/apis.ts'

/** The module of the console that knows the ways in (`admin/console/static/overview/apis.js`), by the table of the spool. */
export const printApis = (): string => {
  const rows = apis.map(api => {
    const { deserializer, label } = apiTable[api]
    const meter = deserializer === undefined ? 'undefined' : `'${deserializer}'`
    return `  { timer: '${api}', meter: ${meter}, label: '${label}' },\n`
  })
  return `// Written by \`npm run generate\` from src/spool/apis.ts. Do not edit.

/**
 * The ways in: the timer of each (\`…endpoint.resources:name=<timer>\`), and the letters of the meters of its
 * deserializer. Scribe has no deserializer: its events are what the others leave of the total.
 */
export const shownApis = /** @type {const} */ ([
${rows.join('')}])
`
}
