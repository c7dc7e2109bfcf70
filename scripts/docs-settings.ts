/** Writes the settings table into README.md, in place of the one that is there: `node scripts/docs-settings.ts`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { settingsTable } from '../src/config/print.ts'

const readme = readFileSync('README.md', 'utf8')
const table = /^\| key \| type \| default \|.*\n(?:\|.*\n?)*/m
if (table.test(readme))
  writeFileSync(
    'README.md',
    readme.replace(table, () => `${settingsTable()}\n`),
  )
else console.log(settingsTable())
