import type { FileStatus } from '../../filesystem/filesystem.ts'

/** What an upload asks of its file beside the bytes. */
type Asked = { readonly replication?: number | undefined; readonly blockSize?: number | undefined }

/**
 * The `Warning` (RFC 7234 §5.5) about what was asked for and the file system does not keep, as a header; no header where
 * everything is kept. The embedded file system has one copy and one block size; HDFS ignores copies of erasure-coded files.
 */
export const toNotKept = (asked: Asked, stored: FileStatus): { readonly warning?: string } => {
  const notKept = [
    describe('replication', asked.replication, stored.replication),
    describe('blocksize', asked.blockSize, stored.blockSize),
  ].filter(text => text !== undefined)
  return notKept.length === 0 ? {} : { warning: `199 sluice "not kept: ${notKept.join(', ')}"` }
}

const describe = (name: string, asked: number | undefined, kept: number): string | undefined =>
  asked === undefined || asked === kept ? undefined : `${name}=${asked} (the file has ${kept})`
