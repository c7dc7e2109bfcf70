/** Who may look at the logs of collectors, and at what is beside them, as HDFS has it. */
import { expect, test } from 'vitest'
import { createFileSystem } from '../../src/filesystem/create.ts'
import { toLogDirectory } from '../../src/spool/replica/log-directory.ts'
import { createRemoteDirectory } from '../../src/spool/replica/remote-directory.ts'
import { describeHdfs } from '../suites/hdfs.ts'

describeHdfs('the log of a collector in HDFS', ({ namenodeUrl, webhdfsUrl }) => {
  test('is for its owner alone, and the event files beside it for all', async () => {
    const fileSystem = await createFileSystem({ url: namenodeUrl, webhdfs: [webhdfsUrl], protocol: 'native' })
    const output = `/replica-${process.pid}-${Date.now()}/events`
    const modes = async () =>
      await Promise.all(
        [output, toLogDirectory(output), `${toLogDirectory(output)}/a`].map(
          async path => (await fileSystem.getFileStatus(path)).permission,
        ),
      )
    await createRemoteDirectory(fileSystem, `${toLogDirectory(output)}/a`, () => 1).make()
    expect(await modes()).toEqual([0o755, 0o700, 0o700])
    // Also where another one was first.
    await createRemoteDirectory(fileSystem, `${toLogDirectory(output)}/b`, () => 1).make()
    expect(await modes()).toEqual([0o755, 0o700, 0o700])
    await fileSystem.delete(output, { recursive: true })
    await fileSystem.close()
  })
})
