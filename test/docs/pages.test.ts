/** What the pages tell people to type, typed. */

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { BadBlock, readBlocks } from './blocks.ts'
import { describePages } from './describe-pages.ts'
import { convertedBlocks, needsHdfs, notYet, pages, runElsewhere } from './pages.ts'

describe('the blocks', () => {
  test.each(pages.filter(page => !notYet.includes(page)))('%s: each says what it is', page => {
    expect(() => readBlocks(page, page in runElsewhere)).not.toThrow()
  })

  test.each(notYet)('%s: not all say yet what they are', page => {
    expect(() => readBlocks(page, page in runElsewhere)).toThrow(BadBlock)
  })

  test.each(Object.entries(runElsewhere))('%s: run by %s', (page, file) => {
    expect(pages).toContain(page)
    expect(readFileSync(file, 'utf8')).toContain(page)
  })
})

await describePages(convertedBlocks().filter(blocks => !needsHdfs(blocks)))
