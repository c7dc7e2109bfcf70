/** Snippets of programs that use Sluice's packages, as a user's compiler sees them. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readBlocks } from './blocks.ts'
import { pages, runElsewhere } from './pages.ts'
import { sourcesByName } from './programs.ts'

const directory = mkdtempSync(join(tmpdir(), 'sluice-snippets-'))
afterAll(() => rmSync(directory, { recursive: true }))

const snippets = pages
  .flatMap(page => readBlocks(page, page in runElsewhere))
  .filter(({ language, code }) => ['ts', 'js'].includes(language) && /from '(?:@?sluice)\b/.test(code))

test('snippets that import what Sluice exports have no error of types', () => {
  const lines = new Map(
    snippets.map(({ page, line, code }, i) => {
      writeFileSync(join(directory, `${i}.ts`), code)
      return [`${i}.ts`, `${page}:${line}`]
    }),
  )
  const settings = {
    // The sources of the packages are compiled with them, and follow the rules of this project.
    extends: resolve('tsconfig.json'),
    compilerOptions: {
      rootDir: '/',
      noUnusedLocals: false,
      typeRoots: [resolve('node_modules/@types')],
      paths: Object.fromEntries([...sourcesByName].map(([name, source]) => [name, [source]])),
    },
    include: ['*.ts', resolve('src/**/*.d.ts')],
    exclude: [],
  }
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(settings))
  const { status, stdout } = spawnSync(resolve('node_modules/.bin/tsc'), ['-p', directory], { encoding: 'utf8' })
  expect(stdout.replaceAll(/\b\d+\.ts\b/g, name => lines.get(name) ?? name)).toBe('')
  expect(status).toBe(0)
  expect(lines.size).toBeGreaterThan(3)
})
