"""How requests to Firestore are made: queries -> protocol -> connection; errors and reads of what comes back."""
