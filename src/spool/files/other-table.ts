/** The table that a file was made for is gone, or another one is in its place. */
export class OtherTable extends Error {
  override readonly name = 'OtherTable'
}
