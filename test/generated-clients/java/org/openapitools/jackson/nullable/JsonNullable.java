package org.openapitools.jackson.nullable;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** Stands in for org.openapitools:jackson-databind-nullable, which only Maven Central has; a flow that sends no such value needs no more. */
public final class JsonNullable<T> {
  private final T value;

  private JsonNullable(T value) {
    this.value = value;
  }

  @JsonCreator
  public static <T> JsonNullable<T> of(T value) {
    return new JsonNullable<>(value);
  }

  public static <T> JsonNullable<T> undefined() {
    return new JsonNullable<>(null);
  }

  public T orElse(T other) {
    return value == null ? other : value;
  }

  public boolean isPresent() {
    return value != null;
  }

  @JsonValue
  public T get() {
    return value;
  }
}
