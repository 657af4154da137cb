/** The warnings of the server about the last change of a record. */
export function RecordChangeWarnings({ warnings }: { warnings: readonly string[] }) {
  return (
    <div role="status" class="screen">
      {warnings.map((warning) => (
        <p class="notice">
          <bdi>{warning}</bdi>
        </p>
      ))}
    </div>
  );
}
