import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
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

const onUnreadable = (error: unknown): never => {
  throw error
}

test.each(changes)('watchOwnCode sees a change of %s', async (_, change, isSame) => {
  const directory = code()
  const isSameCode = watchOwnCode({ directory, onUnreadable })
  expect(await isSameCode()).toBe(true)
  change(directory)
  expect(await isSameCode()).toBe(isSame)
})

test('watchOwnCode knows no other code without files', async () => {
  const directory = code()
  rmSync(directory, { recursive: true })
  const isSameCode = watchOwnCode({ directory, onUnreadable })
  expect(await isSameCode()).toBe(true)
  mkdirSync(directory)
  expect(await isSameCode()).toBe(true)
})

test("watchOwnCode reads the server's own", async () => {
  expect(await watchOwnCode({ onUnreadable })()).toBe(true)
})

describe('a file that cannot be read', () => {
  const failing = (directory: string) => {
    const failures: string[] = []
    const told: unknown[] = []
    const waits: number[] = []
    const fail = (): void => {
      const code = failures.shift()
      if (code !== undefined) throw Object.assign(new Error(code), { code })
    }
    const isSameCode = watchOwnCode({
      directory,
      onUnreadable: error => void told.push(error),
      wait: async ms => void waits.push(ms),
      files: {
        readdir: ((...given: Parameters<typeof readdir>) => {
          fail()
          return readdir(...given)
        }) as typeof readdir,
        readFile: (async (...given: Parameters<typeof readFile>) => {
          fail()
          return readFile(...given)
        }) as typeof readFile,
      },
    })
    return { isSameCode, failures, told, waits }
  }

  test.each(['EMFILE', 'EIO'])('is read again until it can be, told once: %s', async error => {
    const directory = code()
    const { isSameCode, failures, told, waits } = failing(directory)
    expect(await isSameCode()).toBe(true)
    failures.push(...Array.from({ length: 7 }, () => error))
    expect(await isSameCode()).toBe(true)
    expect(told).toEqual([expect.objectContaining({ code: error })])
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
    failures.push(error)
    writeFileSync(join(directory, 'two.js'), 'owt')
    expect(await isSameCode()).toBe(false)
    expect(told).toHaveLength(2)
  })

  test('says nothing about the code when it is the first time', async () => {
    const directory = code()
    const { isSameCode, failures, told } = failing(directory)
    failures.push('EMFILE', 'EMFILE')
    expect(await isSameCode()).toBe(true)
    expect(told).toHaveLength(1)
    rmSync(join(directory, 'two.js'))
    expect(await isSameCode()).toBe(false)
  })

  test('and stays so has changed', async () => {
    const { isSameCode, failures, told, waits } = failing(code())
    expect(await isSameCode()).toBe(true)
    failures.push(...Array.from({ length: 8 }, () => 'EIO'))
    expect(await isSameCode()).toBe(false)
    expect(told).toHaveLength(1)
    expect(waits).toHaveLength(8)
  })

  test.each(['ENOENT', 'ENOTDIR', 'EACCES'])('and is not there any more has changed: %s', async error => {
    const { isSameCode, failures, told } = failing(code())
    expect(await isSameCode()).toBe(true)
    failures.push(error)
    expect(await isSameCode()).toBe(false)
    expect(told).toEqual([])
  })
})
