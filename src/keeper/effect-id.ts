/** Whether an effect comes after another of the same session. Both are `seq.index`. */
export function isNewerEffect(effectId: string, than: string | null): boolean {
  if (than === null) return true;
  const [seq = 0, index = 0] = effectId.split(".").map(Number);
  const [thanSeq = 0, thanIndex = 0] = than.split(".").map(Number);
  return seq === thanSeq ? index > thanIndex : seq > thanSeq;
}
