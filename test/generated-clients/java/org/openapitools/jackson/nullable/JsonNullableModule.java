package org.openapitools.jackson.nullable;

import com.fasterxml.jackson.databind.module.SimpleModule;

/** See JsonNullable. */
public final class JsonNullableModule extends SimpleModule {}
