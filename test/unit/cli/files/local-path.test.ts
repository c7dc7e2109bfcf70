import { mkdirSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { isPartName, makeLocalDirectory, toLocalNames, toPartFile } from '../../../../admin/cli/files/local-path.ts'
import { createDirectory } from '../spool-dirs.ts'

test.each([
  ['/a/b/c', '/a', ['b', 'c']],
  ['/b', '/', ['b']],
  ['/a/b c/...', '/a', ['b c', '...']],
])('toLocalNames of %s in %s', (path, directory, want) => expect(toLocalNames(path, directory)).toEqual(want))

test.each([
  '/a/../x',
  '/a/..',
  '/a/b/../../x',
  '/a/./x',
  '/a//x',
  '/other/x',
  '/ab/x',
  '/a',
  '/a/x\0y',
  '/a/.sluice-0123456789abcdef.part',
])('%j leads nowhere', path =>
  expect(() => toLocalNames(path, '/a')).toThrow('is not a valid file name on this system'),
)

test('a part has a name that is never too long, and of its own', () => {
  const name = basename(toPartFile(`/x/${'n'.repeat(255)}`))
  expect([name.length, isPartName(name), isPartName(`${name}.json`)]).toEqual([29, true, true])
  expect(toPartFile('/x/a')).not.toBe(toPartFile('/x/b'))
})

test('makeLocalDirectory follows no link', async () => {
  const [inside, outside] = [await createDirectory(), await createDirectory()]
  symlinkSync(outside, join(inside, 'link'))
  mkdirSync(join(inside, 'a'))
  expect(await makeLocalDirectory(inside, ['a', 'b'])).toBe(join(inside, 'a/b'))
  await expect(makeLocalDirectory(inside, ['link', 'b'])).rejects.toMatchObject({ code: 'not-directory' })
})
