import { expect, test } from 'vitest'
import { describeHdfs } from '../suites/hdfs.ts'

describeHdfs('the shared HDFS', ({ webhdfsUrl }) => {
  test('answers', async () => {
    const response = await fetch(`${webhdfsUrl}/webhdfs/v1/?op=GETFILESTATUS`)
    expect(await response.json()).toMatchObject({ FileStatus: { type: 'DIRECTORY' } })
  })
})
