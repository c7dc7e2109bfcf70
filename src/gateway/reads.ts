import { createAcceptCheck } from '../contract/media-types.ts'
import type { OperationId, Params } from '../contract/operations.ts'
import type { Call } from '../http/call/call.ts'
import { readTree } from './bytes/read-tree.ts'
import type { EventDirectory, ReadContext, ToBodyOptions } from './context.ts'
import { readCatalog } from './iceberg/read-catalog.ts'
import { readTableFile } from './iceberg/read-table-file.ts'
import { readJson } from './rows/read-json.ts'
import { readText } from './rows/read-text.ts'
import { createWalkWebHdfs } from './webhdfs/walk.ts'

/** Answers one operation; the server of the answer learns how its body ends. */
export type Read<Id extends OperationId, Asked = Params<Id>> = (
  call: Call<Asked>,
  toBodyOptions: ToBodyOptions,
) => Response | Promise<Response>

/** The parameters of a page, and what the collector knows of the directory that is asked for. */
export type BrowseParams = Params<'browse'> & { readonly events?: EventDirectory | undefined }

/**
 * Reads of files and walks of directories. A file's contents decide how much CPU time and memory they take, so all of
 * them can run elsewhere.
 */
export type Reads = {
  readonly readJson: Read<'readJson'>
  readonly readText: Read<'readText'>
  /** `/rest/1.0/binary` of a directory, or of some lines. */
  readonly readTree: Read<'readBinary'>
  readonly browse: Read<'browse', BrowseParams>
  /** The operations of WebHDFS that walk through directories. */
  readonly walkWebHdfs: Read<'webHdfsGet'>
  /** Namespaces and tables. */
  readonly icebergGet: Read<'icebergGet'>
  /** Metadata and manifests that lead through this gateway. */
  readonly icebergFile: Read<'icebergFile'>
}

/** Does them here. @param page makes the pages for browsers */
export const createReads = (context: ReadContext, page: Reads['browse']): Reads => ({
  walkWebHdfs: createWalkWebHdfs(context.fileSystem),
  ...createIcebergReads(context),
  readJson: (call, toBodyOptions) => readJson({ ...context, toBodyOptions }, call),
  readText: (call, toBodyOptions) => readText({ ...context, toBodyOptions }, call),
  readTree: (call, toBodyOptions) => readTree({ ...context, toBodyOptions }, call),
  // Text for `raw=false`, and for clients that take text but no HTML.
  browse: (call, toBodyOptions) =>
    wantsText(call) ? readText({ ...context, toBodyOptions }, call, 'text/plain') : page(call, toBodyOptions),
})

const createIcebergReads = (context: ReadContext): Pick<Reads, 'icebergGet' | 'icebergFile'> => {
  const { fileSystem, tables, rewritten } = context
  const options = { fileSystem, tables, memory: rewritten.ofView() }
  return {
    icebergGet: call => readCatalog(options, call),
    icebergFile: (call, toBodyOptions) => readTableFile({ ...options, toBodyOptions }, call),
  }
}

const acceptsHtml = createAcceptCheck(['text/html'])

/** `raw` decides; without it, `text/plain` does where HTML is not named beside it. */
const wantsText = (call: Call<Params<'browse'>>): boolean => {
  if (call.params.raw !== undefined) return !call.params.raw
  const accept = call.header('accept')
  return !acceptsHtml(accept) || (/\btext\/plain\b/i.test(accept ?? '') && !/\bhtml\b/i.test(accept ?? ''))
}
