import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

/** The folders of the spool as `docs/architecture.md` has them, from the top rung down. */
const readRungs = (): string[] => {
  const [, page = ''] = readFileSync('docs/architecture.md', 'utf8').split('\n## The spool\n')
  const rows = page.split('\n## ')[0]?.matchAll(/^\| (`.*?) \|/gm) ?? []
  return Array.from(rows).flatMap(([, cell = '']) => Array.from(cell.matchAll(/`(\w+)\/`/g), ([, name = '']) => name))
}

const root = 'src/spool'
const files = globSync(`${root}/**/*.ts`)
const folderOf = (file: string): string =>
  file
    .slice(root.length + 1)
    .split('/')
    .slice(0, -1)[0] ?? ''

test('the page names each folder of the spool once', () => {
  const folders = new Set(files.map(folderOf).filter(folder => folder !== ''))
  expect(readRungs().toSorted()).toEqual([...folders].toSorted())
})

test('each folder imports from those below it', () => {
  const rungs = readRungs()
  const wrong = files.flatMap(file => {
    const from = folderOf(file)
    if (from === '') return []
    return Array.from(readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g), ([, to = '']) =>
      join(dirname(file), to),
    )
      .filter(
        to => to.startsWith(`${root}/`) && folderOf(to) !== '' && rungs.indexOf(folderOf(to)) < rungs.indexOf(from),
      )
      .map(to => `${file} imports ${to}`)
  })
  expect(wrong).toEqual([])
})
