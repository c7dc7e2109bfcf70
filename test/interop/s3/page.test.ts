/** What docs/object-stores.md tells people to type, with S3Mock as their store. */
import { onTestFinished, test } from 'vitest'
import { missingForS3Mock, startS3Mock } from '../../../scripts/s3/stores.ts'
import { readBlocks } from '../../docs/blocks.ts'
import { runPage } from '../../docs/run-page.ts'
import { describePart } from '../../suites/describe-part.ts'
import { createBucket } from '../../suites/s3/raw-store.ts'

describePart('s3', await missingForS3Mock(), 'docs/object-stores.md', () => {
  test('does what it says', { timeout: 300_000 }, async () => {
    const store = await startS3Mock()
    onTestFinished(() => store.stop())
    const bucket = await createBucket(store.endpoint, 'bucket', 'prefix/')
    onTestFinished(() => bucket.close())
    await runPage(readBlocks('docs/object-stores.md'), { replace: { 'http://127.0.0.1:9090': store.endpoint } })
  })
})
