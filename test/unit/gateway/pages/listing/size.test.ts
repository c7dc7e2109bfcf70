import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../../../src/filesystem/filesystem.ts'
import { countSize } from '../../../../../src/gateway/pages/listing/size-notice.ts'
import { fromVerbs } from '../../../../suites/flat-filesystem.ts'
import { createMemoryFileSystem } from '../../../../suites/memory-filesystem.ts'
import { createWorld } from '../world.ts'

describe('the size of a directory with all below', () => {
  test('is shown on its page, which links to it', async () => {
    const { page } = await createWorld({ files: { '/d/a': 'x'.repeat(900), '/d/s/t/b': 'y'.repeat(600), '/e': 'z' } })
    expect(await page('/rest/1.0/hdfs?path=/d')).toContain('href="/rest/1.0/hdfs?path=/d&amp;show=size"')
    const html = await page('/rest/1.0/hdfs?path=/d&show=size')
    expect(html).toMatch(/>1\.5 kB<.* in 2 files and 2 directories below\./)
    expect(html).toContain('class="entries"')
  })

  const never = createMemoryFileSystem()
  const endless = fromVerbs<typeof never>({
    ...never,
    getContentSummary: async (path, options) => {
      options?.signal?.throwIfAborted()
      throw new FileSystemError('unavailable', path, 'no answer')
    },
  })
  const aborting = fromVerbs<typeof never>({
    ...never,
    getContentSummary: async path => {
      throw new FileSystemError('unavailable', path, 'aborted')
    },
  })

  test('that takes too long is reported as such, and a failure as a failure', async () => {
    const open = new AbortController().signal
    expect(String(await countSize(aborting, '/d', open, AbortSignal.abort()))).toContain(
      'more below than can be counted',
    )
    await expect(countSize(endless, '/d', open, open)).rejects.toThrow('no answer')
    await expect(countSize(aborting, '/d', AbortSignal.abort(), AbortSignal.abort())).rejects.toThrow('aborted')
    expect(String(await countSize(endless, '/d', open, AbortSignal.abort()))).toContain('more below')
  })
})
