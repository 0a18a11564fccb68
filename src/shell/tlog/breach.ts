/** The first position that does not hold; where it cannot be told exactly, it lies up to `until`. */
export class Breach extends Error {
  override readonly name = 'Breach'
  readonly position: number
  readonly until: number
  readonly because: string
  constructor(position: number, until: number, because: string) {
    super(because)
    this.position = position
    this.until = until
    this.because = because
  }
}
