import { expect, test } from 'vitest'
import { chunksOf, describeFileSystem, expectCode, readText } from '../../suites/filesystem.ts'
import { createMemoryFileSystem, type MemoryFault } from '../../suites/memory-filesystem.ts'

const shared = createMemoryFileSystem()
describeFileSystem('memory', { fs: () => shared, base: '/suite' })

const withFault = (at: string, fault: MemoryFault) => {
  let armed = true
  return createMemoryFileSystem({
    fail: (operation, path) => {
      if (!armed || `${operation} ${path}` !== at) return undefined
      armed = false
      return fault
    },
  })
}

test('memory: an error comes before the effect', async () => {
  const fs = withFault('create /a', new Error('no'))
  await expect(fs.create('/a', chunksOf('x'))).rejects.toThrow('no')
  await expectCode(fs.getFileStatus('/a'), 'not-found')
})

test('memory: a lost reply comes after the effect', async () => {
  const fs = withFault('rename /a', 'lost-reply')
  await fs.create('/a', chunksOf('x'))
  await expectCode(fs.rename('/a', '/b'), 'unavailable')
  expect(await readText(fs, '/b')).toBe('x')
  await expectCode(fs.rename('/a', '/b'), 'not-found')
})

test('memory: a torn create keeps half, a torn open breaks halfway', async () => {
  const created = withFault('create /a', 'torn')
  await expectCode(created.create('/a', chunksOf('12345678')), 'unavailable')
  expect(await readText(created, '/a')).toBe('1234')
  const opened = withFault('open /a', 'torn')
  await opened.create('/a', chunksOf('12345678'))
  await expectCode(readText(opened, '/a'), 'unavailable')
  expect(await readText(opened, '/a')).toBe('12345678')
})
