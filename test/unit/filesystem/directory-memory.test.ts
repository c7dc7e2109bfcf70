import { expect, test } from 'vitest'
import { createDirectoryMemory } from '../../../src/filesystem/local/directory-memory.ts'

const counting = () => {
  const asked: string[] = []
  return {
    asked,
    resolve: async (directory: string): Promise<string> => {
      asked.push(directory)
      if (directory === '/none') throw new Error('not there')
      return `/root${directory}`
    },
  }
}

test('a directory is looked for once a second, and anew when it did not do', async () => {
  let now = 0
  const memory = createDirectoryMemory(() => now)
  const { asked, resolve } = counting()
  expect(await Promise.all([memory.find('/a', resolve), memory.find('/a', resolve)])).toEqual(['/root/a', '/root/a'])
  expect(asked).toEqual(['/a'])
  now = 1_001
  await memory.find('/a', resolve)
  memory.forget('/a')
  await memory.find('/a', resolve)
  expect(asked).toEqual(['/a', '/a', '/a'])
})

test('what is not there is not kept, and no more than some are', async () => {
  const memory = createDirectoryMemory(() => 0)
  const { asked, resolve } = counting()
  for (let time = 0; time < 2; time++) await expect(memory.find('/none', resolve)).rejects.toThrow('not there')
  expect(asked).toHaveLength(2)
  for (let number = 0; number < 257; number++) await memory.find(`/${number}`, resolve)
  await memory.find('/256', resolve)
  await memory.find('/0', resolve)
  expect(asked.slice(2).filter(one => one === '/0' || one === '/256')).toEqual(['/0', '/256', '/0'])
})
