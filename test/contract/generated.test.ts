import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const hash = createHash('sha256').update(read('openapi.yaml')).digest('hex')

test.each(['src/contract/types.gen.ts', 'clients/generated/types.gen.ts'])(
  '%s was made from openapi.yaml as it is',
  path => {
    expect(read(path).split('\n', 1)[0]).toBe(
      `// Written by \`npm run generate\` from openapi.yaml (sha256 ${hash}). Do not edit.`,
    )
  },
)

test('server and client have the same types', () => {
  expect(read('clients/generated/types.gen.ts')).toBe(read('src/contract/types.gen.ts'))
})
