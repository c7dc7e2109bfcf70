import { expect, test } from 'vitest'
import { describeDoors } from './doors.ts'
import { usePython } from './python-clients.ts'

/** Whether an environment of some 300 MB has to be made first, on a machine that may be slow. */
const timeoutMs = 600_000

/** Unused names, because a failed test is retried. */
let tries = 0

describeDoors('clients in Python', door => {
  test.for([
    { script: 'hdfs_cli.py', title: 'hdfs (HdfsCLI)' },
    { script: 'fsspec_pandas.py', title: 'fsspec below pandas and pyarrow' },
    { script: 'opendal_store.py', title: 'opendal' },
    { script: 'many.py', title: 'sixteen of them at a time' },
  ])('$title', { timeout: timeoutMs }, async ({ script }, context) => {
    const run = await usePython(context)
    expect(await run(script, door(), `/python-${process.pid}-${tries++}`)).toBe('')
  })
})
