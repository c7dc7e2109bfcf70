import { childrenOf, childText, type XmlElement } from '../../../formats/xml/xml-element.ts'
import { refusal } from '../../cluster/steps.ts'
import type { S3Call, S3Client } from '../client.ts'
import { readerOfKeys } from '../list-keys.ts'
import { toTime } from '../objects.ts'

/** An upload in parts that is neither completed nor given up. */
export type ListedUpload = {
  readonly key: string
  readonly id: string
  /** When it was begun by the clock of the store, ms since the epoch; 0 where that is not told. */
  readonly begun: number
}

type ListUploads = Pick<S3Call, 'path' | 'action' | 'signal'> & {
  /** What keys begin with. */
  readonly prefix: string
}

/** Pages of ListMultipartUploads, in the order of keys. */
export async function* listUploadPages(
  client: S3Client,
  { prefix, ...how }: ListUploads,
): AsyncGenerator<readonly ListedUpload[], void, undefined> {
  for (let next: Markers | undefined = {}; next; ) {
    const query = { uploads: '', 'encoding-type': 'url', prefix: prefix === '' ? undefined : prefix, ...next }
    const list = await client.xml({ method: 'GET', query, repeatable: true, ...how })
    if (list?.name !== 'ListMultipartUploadsResult')
      throw refusal('unavailable', how.path, how.action, 'the answer is no listing of uploads')
    const page = toUploads(list)
    // What it names is given up; without an id that would be the deletion of an object.
    if (page.some(({ key, id }) => !key.startsWith(prefix) || id === ''))
      throw refusal('unavailable', how.path, how.action, 'the listing has uploads that were not asked for')
    yield page
    const before = next
    next = toMarkers(list)
    // A store that does not move on would be asked without an end.
    if (next && next['key-marker'] === before['key-marker'] && next['upload-id-marker'] === before['upload-id-marker'])
      throw refusal('unavailable', how.path, how.action, 'the store repeats itself')
  }
}

const toUploads = (list: XmlElement): readonly ListedUpload[] => {
  const decode = readerOfKeys(list)
  return childrenOf(list, 'Upload').map(upload => ({
    key: decode(childText(upload, 'Key') ?? ''),
    id: childText(upload, 'UploadId') ?? '',
    begun: toTime(childText(upload, 'Initiated')),
  }))
}

/** Behind which upload the next page begins. */
type Markers = { readonly 'key-marker'?: string; readonly 'upload-id-marker'?: string | undefined }

const toMarkers = (list: XmlElement): Markers | undefined => {
  const key = childText(list, 'NextKeyMarker')
  if (childText(list, 'IsTruncated') !== 'true' || !key) return undefined
  return { 'key-marker': readerOfKeys(list)(key), 'upload-id-marker': childText(list, 'NextUploadIdMarker') }
}
