import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { printApis } from '../../scripts/generate/console-apis.ts'
import { contractNames, readContract } from '../../scripts/generate/contracts.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('the types were made from openapi.yaml as it is', () => {
  const hash = createHash('sha256').update(read('openapi.yaml')).digest('hex')
  expect(read('src/contract/types.gen.ts').split('\n', 1)[0]).toBe(
    `// Written by \`npm run generate\` from openapi.yaml (sha256 ${hash}). Do not edit.`,
  )
})

test.each(contractNames)('the server runs by %s.yaml as it is', name => {
  expect(JSON.parse(read(`src/contract/${name}.gen.json`))).toEqual(readContract(name))
})

test('the console knows the ways in of today', () => {
  expect(read('admin/console/static/overview/apis.js')).toBe(printApis())
})
