const RealDate = Date;

/** The milliseconds since the epoch that have really passed. */
exports.realEpochMs = () => RealDate.now();

/**
 * From here on the time of this process is what the function says.
 * @param {() => number} epochMs
 */
exports.moveDate = (epochMs) => {
  class MovedDate extends RealDate {
    /** @param {[] | [string | number | Date]} values */
    constructor(...values) {
      super(values[0] ?? epochMs());
    }

    /** @override */
    static now() {
      return epochMs();
    }
  }
  Reflect.set(globalThis, 'Date', MovedDate);
};
