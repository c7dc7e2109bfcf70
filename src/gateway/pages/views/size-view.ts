import { countSize } from '../listing/size-notice.ts'
import { showListing } from './listing-view.ts'
import type { View } from './view.ts'

/** A directory with how much is below it. */
export const sizeView: View = {
  accepts: ({ params, status }) => params.show === 'size' && status.isDirectory,
  page: async (options, asked) =>
    showListing(options, asked, await countSize(options.fileSystem, asked.status.path, asked.signal)),
}
