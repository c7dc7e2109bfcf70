import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import {
  baseName,
  childPath,
  compareNames,
  isInside,
  joinPath,
  maxPathBytes,
  parentPath,
  parsePath,
} from '../../../src/filesystem/path.ts'

describe('parsePath', () => {
  test.for([
    ['/', '/'],
    ['//', '/'],
    ['/a', '/a'],
    ['/a/', '/a'],
    ['//a///b//', '/a/b'],
    ['/a/./b/.', '/a/b'],
    ['/a/../b', '/b'],
    ['/a/..', '/'],
    ['/%2e%2e/x', '/%2e%2e/x'],
    ['/a\\..\\b', '/a\\..\\b'],
    ['/...', '/...'],
  ] as const)('%j is %j', ([given, want]) => {
    expect(parsePath(given)).toBe(want)
  })

  test.for([
    ['', 'does not start with "/"'],
    ['a', 'does not start with "/"'],
    ['/..', 'leaves the root'],
    ['/a/../..', 'leaves the root'],
    ['/a\0b', 'NUL'],
    ['/\udc00', 'surrogate'],
    [`/${'x'.repeat(256)}`, 'longer than 255 bytes'],
    [`/${'€'.repeat(86)}`, 'longer than 255 bytes'],
    ['/a'.repeat(maxPathBytes), `longer than ${maxPathBytes} bytes`],
  ] as const)('refuses %j', ([given, reason]) => {
    expect(() => parsePath(given)).toThrow(reason)
  })

  test('any text ends in a path that stays itself, or in bad-path', () => {
    const part = fc.oneof(fc.constantFrom('..', '.', '', '%2e%2e', '\0', 'a'), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), parts => {
        try {
          const path = parsePath(`/${parts.join('/')}`)
          expect(parsePath(path)).toBe(path)
          expect(path).toMatch(/^\//)
          expect(path.split('/').slice(1)).not.toContain('..')
        } catch (error) {
          if (!(error instanceof FileSystemError) || error.code !== 'bad-path') throw error
        }
      }),
    )
  })
})

test('parentPath and baseName split, joinPath joins', () => {
  expect([parentPath('/a/b'), baseName('/a/b')]).toEqual(['/a', 'b'])
  expect([parentPath('/a'), baseName('/a')]).toEqual(['/', 'a'])
  expect([parentPath('/'), baseName('/')]).toEqual(['/', ''])
  expect(joinPath('/a', 'b/c')).toBe('/a/b/c')
  expect(joinPath('/', 'b')).toBe('/b')
  expect(() => joinPath('/a', '../b')).toThrow('leaves')
})

test('childPath is joinPath of what parsePath returns', () => {
  const attempt = (join: typeof joinPath, directory: string, name: string): string => {
    try {
      return join(directory, name)
    } catch (error) {
      return error instanceof FileSystemError ? `${error.code} ${error.message}` : String(error)
    }
  }
  const piece = fc.oneof(
    fc.constantFrom('', '.', '..', '/', 'a', '../up', 'a/../../b', 'x\0', '\ud800', 'é'.repeat(127), 'é'.repeat(128)),
    fc.constantFrom('x'.repeat(84), 'x'.repeat(85), 'x'.repeat(86), 'x'.repeat(255), 'x'.repeat(256)),
    fc.string({ unit: 'binary', maxLength: 6 }),
  )
  const directory = fc.oneof(
    fc.constantFrom('/', '/d', `/${'x'.repeat(250)}`.repeat(15), `/${'x'.repeat(250)}`.repeat(4)),
    fc.string({ maxLength: 4 }).map(name => parsePath(`/${name.replaceAll('.', '_')}`)),
  )
  fc.assert(
    fc.property(directory, piece, (base, name) => {
      expect(attempt(childPath, base, name)).toBe(attempt(joinPath, base, name))
    }),
    { numRuns: 1_000 },
  )
})

test('isInside takes whole names', () => {
  expect(isInside('/a/b', '/a')).toBe(true)
  expect(isInside('/a', '/a')).toBe(true)
  expect(isInside('/ab', '/a')).toBe(false)
  expect(isInside('/ab', '/')).toBe(true)
})

test('compareNames is the order of signed UTF-8 bytes', () => {
  const name = fc.oneof(fc.string({ unit: 'binary', maxLength: 6 }), fc.string({ maxLength: 6 }))
  const signed = (text: string): Buffer => Buffer.from(Buffer.from(text).map(byte => byte ^ 0x80))
  fc.assert(
    fc.property(name, name, (a, b) => {
      fc.pre(a.isWellFormed() && b.isWellFormed())
      expect(Math.sign(compareNames(a, b))).toBe(Buffer.compare(signed(a), signed(b)))
    }),
  )
})
