import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Parts that tests ask for by their names. */
const asked = [...new Set(globSync('test/**/*.ts').flatMap(path => [...namesIn(readFileSync(path, 'utf8'))]))].sort()

function* namesIn(text: string): Generator<string> {
  for (const [, name = ''] of text.matchAll(/\b(?:describePart|isRequired)\(\s*'([\w-]+)'/g)) yield name
}

test.each(['.ci/run', 'CONTRIBUTING.md'])('%s requires each part that a test would skip without', page => {
  const [, list = ''] = /SLUICE_REQUIRE=(\S+)/.exec(readFileSync(page, 'utf8')) ?? []
  const required = list.split(',')
  expect(asked).toContain('s3')
  expect(asked.filter(name => !required.includes(name))).toEqual([])
  expect(required).toEqual([...new Set(required)])
})
