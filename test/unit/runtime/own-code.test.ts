import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { watchOwnCode } from '../../../src/runtime/own-code.ts'

const code = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-code-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  mkdirSync(join(directory, 'room'))
  writeFileSync(join(directory, 'room/one.ts'), 'one')
  writeFileSync(join(directory, 'two.js'), 'two')
  writeFileSync(join(directory, 'two.js.map'), 'map')
  return directory
}

const changes: readonly (readonly [what: string, change: (directory: string) => void, isSame: boolean])[] = [
  ['nothing', () => {}, true],
  ['a module, as long as before', directory => writeFileSync(join(directory, 'room/one.ts'), 'eno'), false],
  ['the time of a module', directory => utimesSync(join(directory, 'two.js'), 0, 0), true],
  ['what is no module', directory => writeFileSync(join(directory, 'two.js.map'), 'pam'), true],
  ['a module more', directory => writeFileSync(join(directory, 'room/three.ts'), ''), false],
  ['a module less', directory => rmSync(join(directory, 'two.js')), false],
  [
    'a module to elsewhere',
    directory => {
      rmSync(join(directory, 'two.js'))
      writeFileSync(join(directory, 'room/two.js'), 'two')
    },
    false,
  ],
  ['all of it', directory => rmSync(directory, { recursive: true }), false],
]

test.each(changes)('watchOwnCode sees a change of %s', (_, change, isSame) => {
  const directory = code()
  const isSameCode = watchOwnCode(directory)
  change(directory)
  expect(isSameCode()).toBe(isSame)
})

test('watchOwnCode knows no other code where there are no files', () => {
  const directory = code()
  rmSync(directory, { recursive: true })
  const isSameCode = watchOwnCode(directory)
  mkdirSync(directory)
  expect(isSameCode()).toBe(true)
})

test("watchOwnCode reads the server's own", () => {
  expect(watchOwnCode()()).toBe(true)
})
